"""From responses to scores: what was answered is read, joined to the plan, and scored."""
