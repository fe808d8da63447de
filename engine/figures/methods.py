"""Which calls of matplotlib are known: by what they are called on, their names, and the keywords that each may have.

The program's side notes a call of this list and takes every other one without effect; the process that draws replays nothing
else. There are no keywords here for files, addresses, callbacks, TeX, identifiers or matplotlib's settings.
"""

from __future__ import annotations

_ANY = "alpha animated antialiased clip_on label visible zorder rasterized"
_LINE = f"{_ANY} color c linestyle ls linewidth lw marker markersize ms markerfacecolor mfc markeredgecolor mec markeredgewidth " \
    "mew markevery fillstyle drawstyle dash_capstyle dash_joinstyle solid_capstyle solid_joinstyle dashes"
_PATCH = f"{_ANY} color facecolor fc edgecolor ec linewidth lw linestyle ls fill hatch capstyle joinstyle"
_MANY = f"{_ANY} color colors facecolor facecolors edgecolor edgecolors ec fc linewidth linewidths lw linestyle linestyles ls " \
    "cmap norm vmin vmax hatch s marker plotnonfinite"
_TEXT = f"{_ANY} color c fontsize size fontweight weight fontstyle style fontfamily family fontname ha horizontalalignment va " \
    "verticalalignment rotation rotation_mode backgroundcolor bbox fontdict linespacing wrap loc pad y x labelpad transform " \
    "fontproperties multialignment ma"
_IMAGE = f"{_ANY} cmap norm vmin vmax aspect interpolation origin extent resample interpolation_stage"
_LEGEND = "loc bbox_to_anchor ncol ncols fontsize title title_fontsize frameon framealpha fancybox shadow facecolor edgecolor " \
    "labels handles markerscale numpoints scatterpoints borderpad labelspacing handlelength handletextpad columnspacing " \
    "borderaxespad mode reverse alignment labelcolor"
_TICKS = "axis which direction length width color pad labelsize labelcolor zorder bottom top left right labelbottom labeltop " \
    "labelleft labelright labelrotation rotation colors grid_color grid_alpha grid_linewidth grid_linestyle reset"

AXES: dict[str, str] = {
    "annotate": f"{_TEXT} xy xytext xycoords textcoords arrowprops annotation_clip",
    "arrow": f"{_PATCH} width head_width head_length length_includes_head shape overhang",
    "autoscale": "enable axis tight",
    "autoscale_view": "tight scalex scaley",
    "axhline": f"{_LINE} y xmin xmax",
    "axhspan": f"{_PATCH} ymin ymax xmin xmax",
    "axis": "xmin xmax ymin ymax",
    "axline": f"{_LINE} xy1 xy2 slope",
    "axvline": f"{_LINE} x ymin ymax",
    "axvspan": f"{_PATCH} xmin xmax ymin ymax",
    "bar": f"{_PATCH} x height width bottom align yerr xerr ecolor capsize log error_kw tick_label",
    "bar3d": f"{_MANY} shade zsort",
    "bar_label": f"{_TEXT} labels fmt label_type padding",
    "barh": f"{_PATCH} y width height left align yerr xerr ecolor capsize log error_kw tick_label",
    "boxplot": "x notch sym vert orientation whis positions widths patch_artist labels tick_labels showmeans showcaps showbox "
    "showfliers meanline boxprops flierprops medianprops meanprops capprops whiskerprops manage_ticks zorder label",
    "cla": "",
    "clabel": "levels inline fontsize fmt colors inline_spacing zorder rightside_up",
    "clear": "",
    "contour": f"{_MANY} levels origin extent extend locator negative_linestyles algorithm zdir offset",
    "contourf": f"{_MANY} levels origin extent extend locator hatches algorithm zdir offset",
    "contour3D": f"{_MANY} levels extend3d zdir offset",
    "errorbar": f"{_LINE} x y yerr xerr fmt ecolor elinewidth capsize capthick barsabove errorevery",
    "eventplot": f"{_MANY} positions orientation lineoffsets linelengths",
    "fill": _PATCH,
    "fill_between": f"{_MANY} x y1 y2 where interpolate step",
    "fill_betweenx": f"{_MANY} y x1 x2 where interpolate step",
    "grid": f"{_LINE} visible which axis",
    "hexbin": f"{_MANY} x y C gridsize bins xscale yscale extent mincnt marginals",
    "hist": f"{_PATCH} x bins range density weights cumulative bottom histtype align orientation rwidth log stacked",
    "hist2d": f"{_MANY} x y bins range density weights cmin cmax",
    "hlines": f"{_MANY} y xmin xmax",
    "imshow": f"{_IMAGE} X",
    "invert_xaxis": "",
    "invert_yaxis": "",
    "legend": _LEGEND,
    "locator_params": "axis tight nbins",
    "loglog": f"{_LINE} base",
    "margins": "x y tight",
    "matshow": f"{_IMAGE} Z",
    "minorticks_off": "",
    "minorticks_on": "",
    "pcolor": f"{_MANY} shading",
    "pcolormesh": f"{_MANY} shading",
    "pie": "x explode labels colors autopct pctdistance shadow labeldistance startangle radius counterclock wedgeprops "
    "textprops center frame rotatelabels normalize hatch",
    "plot": f"{_LINE} scalex scaley zs zdir",
    "plot3D": f"{_LINE} zs zdir",
    "plot_surface": f"{_MANY} rstride cstride rcount ccount shade antialiased",
    "plot_trisurf": f"{_MANY} triangles shade",
    "plot_wireframe": f"{_MANY} rstride cstride rcount ccount",
    "quiver": f"{_MANY} units angles scale scale_units width headwidth headlength headaxislength minshaft minlength pivot length "
    "normalize arrow_length_ratio",
    "quiverkey": "label labelpos coordinates color labelcolor angle",
    "relim": "visible_only",
    "remove": "",
    "scatter": f"{_MANY} x y c zs zdir depthshade",
    "scatter3D": f"{_MANY} x y c zs zdir depthshade",
    "semilogx": f"{_LINE} base",
    "semilogy": f"{_LINE} base",
    "set": "xlabel ylabel zlabel title xlim ylim zlim xticks yticks zticks xticklabels yticklabels xscale yscale aspect "
    "facecolor visible axisbelow box_aspect",
    "set_alpha": "",
    "set_anchor": "",
    "set_aspect": "adjustable anchor share",
    "set_axis_off": "",
    "set_axis_on": "",
    "set_axisbelow": "",
    "set_box_aspect": "aspect zoom",
    "set_facecolor": "",
    "set_frame_on": "",
    "set_position": "",
    "set_prop_cycle": "color linestyle marker linewidth",
    "set_rlabel_position": "",
    "set_rmax": "",
    "set_theta_direction": "",
    "set_theta_zero_location": "",
    "set_title": f"{_TEXT} label",
    "set_visible": "",
    "set_xbound": "lower upper",
    "set_xlabel": f"{_TEXT} xlabel",
    "set_xlim": "left right emit auto xmin xmax",
    "set_xmargin": "",
    "set_xscale": "base subs nonpositive linthresh linscale",
    "set_xticklabels": f"{_TEXT} labels minor",
    "set_xticks": f"{_TEXT} ticks labels minor",
    "set_ybound": "lower upper",
    "set_ylabel": f"{_TEXT} ylabel",
    "set_ylim": "bottom top emit auto ymin ymax",
    "set_ymargin": "",
    "set_yscale": "base subs nonpositive linthresh linscale",
    "set_yticklabels": f"{_TEXT} labels minor",
    "set_yticks": f"{_TEXT} ticks labels minor",
    "set_zlabel": f"{_TEXT} zlabel",
    "set_zlim": "bottom top zmin zmax",
    "set_zlim3d": "bottom top",
    "set_xlim3d": "left right",
    "set_ylim3d": "bottom top",
    "set_zticklabels": f"{_TEXT} labels",
    "set_zticks": f"{_TEXT} ticks labels",
    "set_zorder": "",
    "spy": f"{_LINE} precision aspect origin cmap",
    "stackplot": f"{_MANY} labels baseline",
    "stairs": f"{_PATCH} values edges orientation baseline",
    "stem": "linefmt markerfmt basefmt bottom label orientation",
    "step": f"{_LINE} where",
    "streamplot": "density linewidth color cmap norm arrowsize arrowstyle minlength transform zorder start_points maxlength "
    "integration_direction broken_streamlines",
    "table": "cellText cellColours cellLoc colWidths rowLabels rowColours rowLoc colLabels colColours colLoc loc bbox edges",
    "text": f"{_TEXT} s zdir z",
    "text2D": f"{_TEXT} s",
    "tick_params": _TICKS,
    "ticklabel_format": "axis style scilimits useOffset useLocale useMathText",
    "tricontour": f"{_MANY} levels extend",
    "tricontourf": f"{_MANY} levels extend",
    "tripcolor": f"{_MANY} shading facecolors",
    "triplot": f"{_LINE} triangles",
    "twinx": "",
    "twiny": "",
    "view_init": "elev azim roll vertical_axis",
    "violinplot": "dataset positions vert orientation widths showmeans showextrema showmedians quantiles points bw_method side",
    "vlines": f"{_MANY} x ymin ymax",
    "add_artist": "",
    "add_collection": "autolim",
    "add_line": "",
    "add_patch": "",
    "inset_axes": "projection polar",
}  # fmt: skip
"""Of `Axes`, of two dimensions and of three."""

FIGURE: dict[str, str] = {
    "add_axes": "projection polar facecolor frameon label",
    "add_gridspec": "nrows ncols left right top bottom wspace hspace width_ratios height_ratios",
    "add_subplot": "projection polar sharex sharey facecolor frameon label title xlabel ylabel aspect xlim ylim xticks yticks",
    "align_labels": "",
    "autofmt_xdate": "bottom rotation ha which",
    "clear": "",
    "colorbar": "ax cax ticks label orientation fraction pad shrink aspect extend format location spacing drawedges use_gridspec "
    "boundaries values",
    "delaxes": "",
    "legend": _LEGEND,
    "set_dpi": "",
    "set_edgecolor": "",
    "set_facecolor": "",
    "set_figheight": "",
    "set_figwidth": "",
    "set_layout_engine": "",
    "set_size_inches": "w h forward",
    "set_tight_layout": "",
    "set_constrained_layout": "",
    "subplots_adjust": "left right top bottom wspace hspace",
    "supxlabel": _TEXT,
    "supylabel": _TEXT,
    "suptitle": f"{_TEXT} t",
    "text": f"{_TEXT} x y s",
    "tight_layout": "pad h_pad w_pad rect",
}
"""Of `Figure`."""

_SETTERS = """
set_alpha set_antialiased set_array set_backgroundcolor set_bounds set_capstyle set_clim set_clip_on set_cmap set_color set_colors
set_data set_data_3d set_dashes set_drawstyle set_edgecolor set_edgecolors set_ec set_extent set_facecolor set_facecolors set_fc
set_fill set_fontfamily set_fontname set_fontproperties set_fontsize set_fontstyle set_fontweight set_ha set_hatch set_height
set_horizontalalignment set_interpolation set_label set_label_coords set_label_position set_label_text set_linestyle set_linestyles
set_linewidth set_linewidths set_ls set_lw set_ma set_major_formatter set_major_locator set_marker set_markeredgecolor
set_markeredgewidth set_markerfacecolor set_markersize set_minor_formatter set_minor_locator set_ms set_norm set_offsets
set_position set_rotation set_size set_sizes set_scale set_style set_text set_tick_params set_ticklabels set_ticks
set_ticks_position set_title set_url_none set_va set_verticalalignment set_visible set_weight set_width set_x set_xdata set_xy
set_y set_ydata set_zdata set_zorder set_3d_properties set_inverted set_pane_color set_frame_on set_loc set_xlabel set_ylabel
changed grid remove tick_bottom tick_left tick_right tick_top update_ticks minorticks_on minorticks_off ax_set_ylabel invert_axis
""".replace("set_url_none", "").split()  # fmt: skip
_WORDS: dict[str, str] = {
    "set_tick_params": _TICKS,
    "set_ticks": f"{_TEXT} ticks labels minor",
    "set_ticklabels": f"{_TEXT} labels",
    "set_label": _TEXT,
    "set_label_text": _TEXT,
    "set_title": f"{_TEXT} title prop",
    "set_clim": "vmin vmax",
    "grid": f"{_LINE} visible which axis",
    "set": f"{_LINE} {_PATCH} {_TEXT} text title xlabel ylabel ticks",
    "set_pane_color": "alpha",
    "set_ylabel": _TEXT,
    "set_xlabel": _TEXT,
}
ARTIST: dict[str, str] = {name: _WORDS.get(name, "") for name in _SETTERS} | _WORDS
"""Of what the others return: lines, patches, collections, images, texts, legends, axes' sides, spines, colour bars."""

SUBPLOT_SPEC = frozenset(("add_subplot", "add_axes", "inset_axes", "twinx", "twiny"))
"""Methods that return axes."""
KINDS: dict[str, dict[str, str]] = {"figure": FIGURE, "axes": AXES, "artist": ARTIST, "grid": {}}
"""By what something is, its methods."""

PARTS: dict[str, tuple[str, ...]] = {
    "axes": ("xaxis", "yaxis", "zaxis", "patch", "title", "spines:left", "spines:right", "spines:top", "spines:bottom",
             "spines:polar", "spines", "transAxes", "transData", "legend_", "label:x", "label:y", "label:z"),
    "figure": ("patch", "transFigure"),
    "artist": ("ax", "lines", "outline", "label", "dividers", "title", "frame", "texts", "solids"),
    "grid": (),
}  # fmt: skip
"""By what something is, the parts that can be reached from it."""

OBJECTS: dict[str, str] = {
    "LogNorm": "vmin vmax clip",
    "Normalize": "vmin vmax clip",
    "PowerNorm": "gamma vmin vmax clip",
    "SymLogNorm": "linthresh linscale vmin vmax base",
    "TwoSlopeNorm": "vcenter vmin vmax",
    "CenteredNorm": "vcenter halfrange",
    "BoundaryNorm": "boundaries ncolors clip extend",
    "ListedColormap": "colors name N",
    "LinearSegmentedColormap": "name colors N gamma",
    "AutoLocator": "",
    "FixedLocator": "locs nbins",
    "LinearLocator": "numticks",
    "LogLocator": "base subs numticks",
    "MaxNLocator": "nbins integer steps prune symmetric min_n_ticks",
    "MultipleLocator": "base offset",
    "NullLocator": "",
    "AutoMinorLocator": "n",
    "FixedFormatter": "seq",
    "FormatStrFormatter": "fmt",
    "NullFormatter": "",
    "PercentFormatter": "xmax decimals symbol",
    "ScalarFormatter": "useOffset useMathText",
    "StrMethodFormatter": "fmt",
    "LogFormatter": "base",
    "LogFormatterSciNotation": "base",
    "EngFormatter": "unit places sep",
    "Line2D": _LINE,
    "Patch": _PATCH,
    "Rectangle": f"{_PATCH} xy width height angle",
    "Circle": f"{_PATCH} xy radius",
    "Ellipse": f"{_PATCH} xy width height angle",
    "Polygon": f"{_PATCH} xy closed",
    "Arrow": f"{_PATCH} width",
    "FancyArrow": f"{_PATCH} width head_width head_length length_includes_head",
    "FancyArrowPatch": f"{_PATCH} posA posB arrowstyle connectionstyle mutation_scale shrinkA shrinkB",
    "FancyBboxPatch": f"{_PATCH} xy width height boxstyle",
    "Wedge": f"{_PATCH} width",
    "LineCollection": _MANY,
}  # fmt: skip
"""What programs make themselves and give to calls: norms, colormaps, locators, formatters, lines and patches."""


def keywords(kind: str, method: str) -> frozenset[str] | None:
    """The keywords that a method may have; None for a method that is not known."""
    words = KINDS[kind].get(method)
    return None if words is None else frozenset(words.split())
