"""The programming interface: what the pages do, for programs."""

from ninja import NinjaAPI

from sidewise import __version__
from sidewise.collect.server.api.errors import explain
from sidewise.collect.server.api.requester import router as campaigns
from sidewise.collect.server.api.worker import router as work
from sidewise.collect.server.wholesome import WholesomeJSON

api = NinjaAPI(
    title="Sidewise",
    version=__version__,
    description="Campaigns, tasks, answers, rankings. Requesters send a token, workers the pass they got on joining.",
    docs_url=None,  # its page loads scripts from elsewhere; the description itself is at openapi.json
    urls_namespace="api",
    parser=WholesomeJSON(),
)
explain(api)
api.add_router("", campaigns)
api.add_router("", work)
