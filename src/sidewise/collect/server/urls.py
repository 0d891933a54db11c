"""The addresses of the server."""

from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import path
from django.views.defaults import page_not_found

from sidewise.collect.server.api import api
from sidewise.collect.server.pages import media, requester, worker
from sidewise.collect.server.rates import limited
from sidewise.collect.server.wholesome import problem

login = LoginView.as_view(template_name="sidewise/login.html", redirect_authenticated_user=True)


def alive(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """For whoever watches the server."""
    return HttpResponse("ok", content_type="text/plain")


def missing(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Nothing is at this address; programs are told so in JSON."""
    if request.path.startswith("/api/"):
        return problem(request, 404, "there is no such thing, or it is not yours")
    return page_not_found(request, exception)


handler404 = missing


def home(request: HttpRequest) -> HttpResponseBase:  # noqa: ARG001
    """Requesters come here; workers have links."""
    return redirect("campaigns")


urlpatterns = [
    path("", home),
    path("login", limited("login", 60, only="POST")(login), name="login"),
    path("logout", LogoutView.as_view(next_page="login"), name="logout"),
    path("tokens", requester.tokens, name="tokens"),
    path("campaigns/", requester.campaigns, name="campaigns"),
    path("campaigns/<slug:name>/", requester.dashboard, name="dashboard"),
    path("campaigns/<slug:name>/ranking", requester.ranking, name="ranking"),
    path("campaigns/<slug:name>/workers", requester.workers, name="workers"),
    path("campaigns/<slug:name>/workers/<int:number>", requester.worker, name="worker"),
    path("campaigns/<slug:name>/workers/<int:number>/admit", requester.admit, name="admit"),
    path("campaigns/<slug:name>/pairs/<int:number>", requester.pair, name="pair"),
    path("campaigns/<slug:name>/items/<int:number>/media", requester.item_media, name="item_media"),
    path("campaigns/<slug:name>/vet", requester.vet, name="vet"),
    path("campaigns/<slug:name>/state", requester.set_state, name="set_state"),
    path("campaigns/<slug:name>/export/<str:what>.<str:form>", requester.export, name="export"),
    path("alive", alive, name="alive"),
    path("api/", api.urls),
    path("c/<slug:name>/", worker.welcome, name="welcome"),
    path("c/<slug:name>/join", worker.join, name="join"),
    path("c/<slug:name>/enter/<str:link>", worker.enter, name="enter"),
    path("c/<slug:name>/work", worker.work, name="work"),
    path("c/<slug:name>/answer", worker.say, name="say"),
    path("c/<slug:name>/undo", worker.take_back, name="take_back"),
    path("c/<slug:name>/media/<uuid:key>/<str:side>", media.media, name="media"),
]
