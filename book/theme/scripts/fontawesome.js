// In place of the theme's script of this name, 1.7 MB of which draw the icons that its web font draws too.
