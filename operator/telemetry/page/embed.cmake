# cmake -DFILE=page.css -DNAME=style -DHEADER=telemetry/page/style.h -DOUT=style.cpp -P embed.cmake: a file as a string in C++.
file(READ "${FILE}" text)
file(WRITE "${OUT}" "#include \"${HEADER}\"\n\nnamespace lips::page {\n\nconst std::string_view ${NAME} = R\"TEXT(${text})TEXT\";\n\n}  // namespace lips::page\n")
