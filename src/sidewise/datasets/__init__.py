"""Which data? Named data sets, and builders of new ones."""
