// fault-proxy stands in front of a Kubernetes API server and applies rules to requests and watches. It is for tests only.
//
//	PUT  /rules   replaces the rules (a JSON list of Rule); counts begin anew
//	GET  /counts  how often each rule was applied, by its name
//	POST /cut     cuts every watch that is open now
//
// With --rename CLIENT=SERVER it also translates words, so that a program finds objects under names that it knows.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Rule describes a fault for matching requests. The first rule that matches and whose share and count allow it is applied.
type Rule struct {
	Name  string  `json:"name"`
	Verb  string  `json:"verb"`  // GET, POST, PUT, PATCH, DELETE, or WATCH; empty: every one
	Path  string  `json:"path"`  // regular expression; empty: every path
	Share float64 `json:"share"` // of the requests that fit; 0: all
	Count int     `json:"count"` // at most this often; 0: no limit

	Status     int    `json:"status"`     // answered with this code instead of being forwarded
	RetryAfter int    `json:"retryAfter"` // seconds, as a header of that answer
	Delay      string `json:"delay"`      // before it is forwarded
	Late       bool   `json:"late"`       // forwarded after the delay even if the sender has died in between, like a request in flight
	LoseAnswer bool   `json:"loseAnswer"` // forwarded, but the connection breaks before the answer
	Expire     bool   `json:"expire"`     // a watch: one ERROR event of code 410, as for a version that is too old
	CutAfter   string `json:"cutAfter"`   // a watch: breaks after this time, in the middle of an event where there is one
	Lag        string `json:"lag"`        // a watch: delays every event, so that other watches overtake it

	path                 *regexp.Regexp
	delay, cutAfter, lag time.Duration
	applied              int
}

func (r *Rule) prepare() error {
	var err error
	if r.path, err = regexp.Compile(r.Path); err != nil {
		return err
	}
	for _, field := range []struct {
		text string
		into *time.Duration
	}{{r.Delay, &r.delay}, {r.CutAfter, &r.cutAfter}, {r.Lag, &r.lag}} {
		if field.text == "" {
			continue
		}
		if *field.into, err = time.ParseDuration(field.text); err != nil {
			return err
		}
	}
	return nil
}

// renames has words that mean the same to clients and to the server, each as CLIENT=SERVER.
type renames struct {
	words              []string
	toServer, toClient *strings.Replacer
}

func (r *renames) String() string { return strings.Join(r.words, " ") }

func (r *renames) Set(pair string) error {
	client, server, found := strings.Cut(pair, "=")
	if !found || client == "" || server == "" {
		return fmt.Errorf("%q is not CLIENT=SERVER", pair)
	}
	r.words = append(r.words, client, server)
	there, back := []string{}, []string{}
	for i := 0; i < len(r.words); i += 2 {
		there, back = append(there, r.words[i], r.words[i+1]), append(back, r.words[i+1], r.words[i])
	}
	r.toServer, r.toClient = strings.NewReplacer(there...), strings.NewReplacer(back...)
	return nil
}

// replace returns a body with other words, and its length.
func replace(body io.ReadCloser, words *strings.Replacer) (io.ReadCloser, int64, error) {
	text, err := io.ReadAll(body)
	body.Close()
	if err != nil {
		return nil, 0, err
	}
	found := words.Replace(string(text))
	return io.NopCloser(strings.NewReader(found)), int64(len(found)), nil
}

// request asks for JSON: watches of other encodings have no lines. What a client sends in another encoding stays valid only where both words
// of a pair are of the same length.
func (r *renames) request(request *http.Request) error {
	if len(r.words) == 0 {
		return nil
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Del("Accept-Encoding")
	var err error
	request.Body, request.ContentLength, err = replace(request.Body, r.toServer)
	return err
}

func (r *renames) answer(answer *http.Response) error {
	if len(r.words) == 0 {
		return nil
	}
	var err error
	if answer.Body, answer.ContentLength, err = replace(answer.Body, r.toClient); err == nil {
		answer.Header.Set("Content-Length", strconv.FormatInt(answer.ContentLength, 10))
	}
	return err
}

func (r *renames) line(text []byte) []byte {
	if len(r.words) == 0 {
		return text
	}
	return []byte(r.toClient.Replace(string(text)))
}

type proxy struct {
	forward   *httputil.ReverseProxy
	renames   *renames
	transport *http.Transport
	server    *url.URL

	mutex  sync.Mutex
	rules  []*Rule
	random *rand.Rand
	cut    chan struct{} // closed to cut the watches that are open
}

func isWatch(request *http.Request) bool {
	watch := request.URL.Query().Get("watch")
	return watch == "true" || watch == "1"
}

func (p *proxy) ruleFor(request *http.Request) (Rule, chan struct{}) {
	verb := request.Method
	if isWatch(request) {
		verb = "WATCH"
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, rule := range p.rules {
		if rule.Verb != "" && rule.Verb != verb || !rule.path.MatchString(request.URL.Path) {
			continue
		}
		if rule.Count > 0 && rule.applied >= rule.Count || rule.Share > 0 && p.random.Float64() >= rule.Share {
			continue
		}
		rule.applied++
		return *rule, p.cut
	}
	return Rule{}, p.cut
}

var reasons = map[int]string{409: "Conflict", 410: "Expired", 429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout"}

func status(code int) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"injected by the fault proxy","reason":"%s","code":%d}`,
		reasons[code], code)
}

func (p *proxy) ServeHTTP(out http.ResponseWriter, request *http.Request) {
	rule, cut := p.ruleFor(request)
	if err := p.renames.request(request); err != nil {
		panic(http.ErrAbortHandler)
	}
	if rule.Late {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		request = request.WithContext(context.WithoutCancel(request.Context()))
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	time.Sleep(rule.delay)
	switch {
	case rule.Status != 0:
		io.Copy(io.Discard, request.Body)
		out.Header().Set("Content-Type", "application/json")
		if rule.RetryAfter > 0 {
			out.Header().Set("Retry-After", strconv.Itoa(rule.RetryAfter))
		}
		out.WriteHeader(rule.Status)
		io.WriteString(out, status(rule.Status)+"\n")
	case rule.Expire:
		out.Header().Set("Content-Type", "application/json")
		io.WriteString(out, `{"type":"ERROR","object":`+status(410)+"}\n")
	case rule.LoseAnswer:
		p.forward.ServeHTTP(&nowhere{header: http.Header{}}, request)
		panic(http.ErrAbortHandler)
	case isWatch(request):
		p.watch(out, request, rule, cut)
	default:
		p.forward.ServeHTTP(out, request)
	}
}

// nowhere swallows an answer.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n *nowhere) WriteHeader(int)             {}

type line struct {
	text []byte
	due  time.Time
}

func (p *proxy) watch(out http.ResponseWriter, request *http.Request, rule Rule, cut chan struct{}) {
	upstream := request.Clone(request.Context())
	upstream.RequestURI = ""
	upstream.URL.Scheme, upstream.URL.Host, upstream.Host = p.server.Scheme, p.server.Host, p.server.Host
	upstream.Header.Del("Accept-Encoding")
	answer, err := p.transport.RoundTrip(upstream)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		out.Header()[name] = values
	}
	out.WriteHeader(answer.StatusCode)
	flush := func() { http.NewResponseController(out).Flush() }
	flush()

	lines := make(chan line, 100000)
	go func() {
		defer close(lines)
		reader := bufio.NewReaderSize(answer.Body, 1<<16)
		for {
			text, err := reader.ReadBytes('\n')
			if err != nil {
				return
			}
			select {
			case lines <- line{p.renames.line(text), time.Now().Add(rule.lag)}:
			case <-request.Context().Done():
				return
			}
		}
	}()
	var end <-chan time.Time
	if rule.cutAfter > 0 {
		end = time.After(rule.cutAfter)
	}
	broken := false
	for {
		select {
		case <-request.Context().Done():
			return
		case <-cut:
			panic(http.ErrAbortHandler)
		case <-end:
			broken = true
			end = time.After(300 * time.Millisecond)
			if len(lines) == 0 {
				panic(http.ErrAbortHandler)
			}
		case next, more := <-lines:
			if !more {
				return
			}
			time.Sleep(time.Until(next.due))
			if broken {
				out.Write(next.text[:len(next.text)/2])
				flush()
				panic(http.ErrAbortHandler)
			}
			out.Write(next.text)
			if len(lines) == 0 {
				flush()
			}
		}
	}
}

func (p *proxy) admin(out http.ResponseWriter, request *http.Request) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch request.Method + " " + request.URL.Path {
	case "PUT /rules":
		var rules []*Rule
		decoder := json.NewDecoder(request.Body)
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&rules)
		for i := 0; err == nil && i < len(rules); i++ {
			err = rules[i].prepare()
		}
		if err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		p.rules = rules
	case "GET /counts":
		counts := map[string]int{}
		for _, rule := range p.rules {
			counts[rule.Name] += rule.applied
		}
		json.NewEncoder(out).Encode(counts)
	case "POST /cut":
		close(p.cut)
		p.cut = make(chan struct{})
	default:
		http.NotFound(out, request)
	}
}

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "address for the clients of the API server")
	admin := flag.String("admin", "127.0.0.1:0", "address for the rules (no encryption)")
	server := flag.String("server", "", "URL of the API server")
	authority := flag.String("ca", "", "certificate that the API server's is checked with")
	certificate := flag.String("cert", "", "certificate to show to clients")
	key := flag.String("key", "", "its key")
	words := &renames{}
	flag.Var(words, "rename", "CLIENT=SERVER: a word of clients, and what the server calls it; may be repeated")
	seed := flag.Int64("seed", 1, "of what is drawn for the rules' shares")
	flag.Parse()

	address, err := url.Parse(*server)
	if err != nil || strings.TrimSpace(*server) == "" {
		log.Fatal("--server needs a URL")
	}
	pem, err := os.ReadFile(*authority)
	if err != nil {
		log.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	// Without HTTP/2 on either side: one connection is one request, as the proxy breaks connections.
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, MaxIdleConnsPerHost: 64, TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}}
	p := &proxy{transport: transport, renames: words, server: address, random: rand.New(rand.NewSource(*seed)), cut: make(chan struct{})}
	p.forward = httputil.NewSingleHostReverseProxy(address)
	p.forward.Transport = transport
	p.forward.FlushInterval = -1
	p.forward.ModifyResponse = words.answer
	p.forward.ErrorHandler = func(out http.ResponseWriter, _ *http.Request, err error) {
		panic(http.ErrAbortHandler) // as a client sees a server that is not there
	}
	go func() { log.Fatal(http.ListenAndServe(*admin, http.HandlerFunc(p.admin))) }()
	quiet := log.New(io.Discard, "", 0)
	clients := &http.Server{Addr: *listen, Handler: p, ErrorLog: quiet, TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
	log.Fatal(clients.ListenAndServeTLS(*certificate, *key))
}
