#include "telemetry/page/document.h"

#include "telemetry/page/html.h"
#include "telemetry/page/style.h"

namespace lips::page {

std::string render_document(const std::string& title, const std::string& content) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><meta name=\"color-scheme\" "
         "content=\"light dark\">"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\"><title>" +
         escape(title) + "</title>\n<style>\n" + std::string(style) + "</style></head>\n<body>\n" +
         pattern_definitions() + "<main>\n" + content + "</main>\n</body></html>\n";
}

}  // namespace lips::page
