# cmake -DSTYLE=page.css -DOUT=style.cpp -P embed.cmake: a style sheet as a string in C++.
file(READ "${STYLE}" css)
file(WRITE "${OUT}" "#include \"telemetry/page/style.h\"\n\nnamespace lips::page {\n\nconst std::string_view style = R\"CSS(${css})CSS\";\n\n}  // namespace lips::page\n")
