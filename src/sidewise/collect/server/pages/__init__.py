"""The pages: what workers and requesters see."""
