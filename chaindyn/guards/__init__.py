"""Armour: what refuses, explains and bounds rounding, by what it guards. Laws call it by name or are wrapped in it."""
