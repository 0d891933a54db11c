from sidewise import __version__

project = "Sidewise"
author = "The Sidewise authors"
copyright = "The Sidewise authors"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Sidewise"
exclude_patterns = ["_build"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
suppress_warnings = ["myst.xref_missing"]
