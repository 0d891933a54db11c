"""The web server of a campaign: serves tasks, keeps answers, shows what follows. Django lives here and nowhere else."""
