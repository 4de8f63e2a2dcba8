// Carries precompiled headers; see operator/CMakeLists.txt and tests/CMakeLists.txt.
