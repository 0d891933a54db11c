"""The real parts that the tests of live collection run on: a PostgreSQL, a browser, servers that get killed.

``fixtures`` is a plugin of pytest, so all fixtures are at hand in every test; nothing starts before a test asks for it,
and nothing outlives the run. Parts that have to be installed are named in ``missing``; ``make parts`` installs them.
"""
