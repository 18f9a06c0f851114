"""How far contexts are apart: models, estimates from data, and a check that can say no."""
