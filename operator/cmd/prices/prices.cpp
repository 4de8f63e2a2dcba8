#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/enum_array.h"
#include "cmd/cli/arguments.h"
#include "cmd/cli/command.h"
#include "cmd/cli/today.h"
#include "config/price_import.h"
#include "config/price_sheet.h"
#include "config/text_file.h"

namespace lips::cmd {

namespace {

struct PriceOptions {
  std::string type, region, file, output, config_folder;
  EnumArray<PriceFormat, std::string> imports;  // files; empty: none
};

Arguments describe(PriceOptions& options) {
  Arguments arguments("lips prices",
                      "Shows the prices of instance types, or converts prices that other programs print into a file "
                      "for prices.file of the operator's configuration.");
  arguments.operand("TYPE", "show this instance type only, such as m7g.2xlarge", options.type, false);
  arguments.text("--region", "REGION", "show this region only; also the region of zones whose names do not say it",
                 options.region);
  arguments.text("--file", "FILE", "prices to add to the built-in sheet, as prices.file would", options.file);
  arguments.text("--config-dir", "DIR", "folder of the built-in sheet (default: beside the program)",
                 options.config_folder);
  arguments.heading("Prices from other programs, instead of the built-in sheet");
  arguments.text("--price-list", "FILE",
                 "output of: aws pricing get-products --service-code AmazonEC2; or AWS' offer file of EC2",
                 options.imports[PriceFormat::price_list]);
  arguments.text("--spot-history", "FILE", "output of: aws ec2 describe-spot-price-history",
                 options.imports[PriceFormat::spot_history]);
  arguments.text("--karpenter", "FILE", "the /metrics page of Karpenter on AWS",
                 options.imports[PriceFormat::karpenter]);
  arguments.text("--opencost", "FILE", "the /metrics page of OpenCost", options.imports[PriceFormat::opencost]);
  arguments.text("--output", "FILE", "write them as CSV (default with these options: to stdout)", options.output);
  arguments.example("lips prices m7g.2xlarge", "on-demand prices by region");
  arguments.example("lips prices --spot-history history.json --karpenter metrics.txt --output prices.csv",
                    "then prices.file: prices.csv");
  return arguments;
}

bool imports_any(const PriceOptions& options) {
  return std::any_of(options.imports.begin(), options.imports.end(),
                     [](const std::string& file) { return !file.empty(); });
}

Result<PriceSheet> imported(const PriceOptions& options) {
  PriceSheet sheet;
  for (const PriceFormat format : {PriceFormat::price_list, PriceFormat::opencost, PriceFormat::karpenter,
                                   PriceFormat::spot_history}) {  // later ones replace earlier ones
    const std::string& file = options.imports[format];
    if (file.empty()) continue;
    const Result<std::string> text = read_text_file(file);
    if (!text) return tl::unexpected(text.error());
    Result<std::vector<InstanceOffer>> offers = import_prices({format, file, *text, today(), options.region});
    if (!offers) return tl::unexpected(offers.error());
    sheet = sheet.with(std::move(*offers));
  }
  return sheet;
}

Result<PriceSheet> built_in(const PriceOptions& options) {
  const Result<std::string> folder = find_config_folder(options.config_folder);
  if (!folder) return tl::unexpected(folder.error());
  Result<PriceSheet> sheet = read_price_sheet(*folder);
  if (!sheet || options.file.empty()) return sheet;
  return sheet->with_file(options.file);
}

Result<int> show(const PriceOptions& options) {
  const bool importing = imports_any(options);
  const Result<PriceSheet> sheet = importing ? imported(options) : built_in(options);
  if (!sheet) return tl::unexpected(sheet.error());
  std::vector<InstanceOffer> rows;
  for (const InstanceOffer& offer : sheet->offers())
    if ((options.type.empty() || offer.instance_type == options.type) &&
        (options.region.empty() || offer.region == options.region))
      rows.push_back(offer);
  if (rows.empty()) {
    std::vector<std::string> names;
    for (const InstanceOffer& offer : sheet->offers()) names.push_back(offer.instance_type);
    return fail(ErrorCode::invalid_input, fmt::format("no price of '{}'{}{}", options.type,
                                                      options.region.empty() ? "" : " in region " + options.region,
                                                      did_you_mean(options.type, names)));
  }
  std::sort(rows.begin(), rows.end(), [](const InstanceOffer& a, const InstanceOffer& b) {
    return std::tie(a.region, a.instance_type, a.zone, a.capacity_type, a.as_of) <
           std::tie(b.region, b.instance_type, b.zone, b.capacity_type, b.as_of);
  });
  if (!options.output.empty()) {
    const Result<void> saved = write_text_file(options.output, write_instance_prices(rows));
    if (!saved) return tl::unexpected(saved.error());
    return done;
  }
  if (importing && options.type.empty()) return print(write_instance_prices(rows));
  std::string out = fmt::format("{:<16}{:<18}{:<18}{:<11}{:>6}{:>8}{:>12}  {:<11}{}\n", "region", "type", "zone",
                                "capacity", "vCPU", "GiB", "USD/h", "as of", "source");
  for (const InstanceOffer& offer : rows) {
    const auto size = [](double value) { return value > 0 ? fmt::format("{}", value) : std::string("-"); };
    out +=
        fmt::format("{:<16}{:<18}{:<18}{:<11}{:>6}{:>8}{:>12.5f}  {:<11}{}\n", offer.region, offer.instance_type,
                    offer.zone.empty() ? "any" : offer.zone, to_string(offer.capacity_type), size(offer.vcpu.value()),
                    size(offer.memory.value() / 1024), offer.price.value(), offer.as_of, offer.source);
  }
  return print(out);
}

}  // namespace

int run_prices(Words words) {
  PriceOptions options;
  Arguments arguments = describe(options);
  if (auto parsed = arguments.parse(words); !parsed) return print_error(parsed.error());
  if (arguments.help_requested()) return print(arguments.help());
  const Result<int> status = show(options);
  return status ? *status : print_error(status.error());
}

}  // namespace lips::cmd
