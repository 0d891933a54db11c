"""Django's settings, from a few variables that ``sidewise serve`` sets; there is nothing to edit here.

========================  ==========================================================================================
SIDEWISE_HOME             the server's folder: its secret, and its database where that is SQLite
SIDEWISE_DATABASE         postgres://user:password@host:port/name; SQLite where it is not set
SIDEWISE_HOSTS            names under which the server is reached, with commas between
SIDEWISE_HTTPS            1 where it is reached by https: cookies and redirects insist on it
SIDEWISE_PROXY            1 where a proxy in front says so in X-Forwarded-Proto and X-Forwarded-For
========================  ==========================================================================================
"""

import os
from pathlib import Path

from sidewise.collect.server.database import database
from sidewise.collect.server.secret import secret_key

HOME = Path(os.environ.get("SIDEWISE_HOME", "sidewise-server")).resolve()
HTTPS = os.environ.get("SIDEWISE_HTTPS") == "1"
PROXY = os.environ.get("SIDEWISE_PROXY") == "1"
ALLOWED_HOSTS = [host for host in os.environ.get("SIDEWISE_HOSTS", "localhost,127.0.0.1,[::1]").split(",") if host]

SECRET_KEY = secret_key(HOME / "secret.key")
DEBUG = False
DATABASES = {"default": database(os.environ.get("SIDEWISE_DATABASE"), HOME)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "django_tasks",
    "django_tasks_db",
    "sidewise.collect.server",
]
MIDDLEWARE = [
    "sidewise.collect.server.headers.headers",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "sidewise.collect.server.wholesome.wholesome",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "sidewise.collect.server.urls"
WSGI_APPLICATION = "sidewise.collect.server.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# Jobs are kept in the database: one that was asked for in a transaction is there if, and only if, that came through.
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["default", "ranking"]}}

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "campaigns"
AXES_FAILURE_LIMIT = 5  # wrong passwords for one name from one address, then …
AXES_COOLOFF_TIME = 0.25  # … a quarter of an hour's rest
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_TEMPLATE = "sidewise/locked.html"
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "sidewise.collect.server.rates.address_of"
AXES_ENABLE_ACCESS_FAILURE_LOG = False
AXES_VERBOSE = False

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXY else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 2**20  # a list of items by the programming interface

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False
STATIC_URL = "static/"
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True  # the few files of the package itself; nothing to collect
CACHES = {  # of each process: who has come how often in this minute
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {"sidewise": {"level": "INFO"}, "django.security": {"level": "WARNING"}},
}
