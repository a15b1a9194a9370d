package lang

import "strconv"

func (t T) Port() string { return t.pick("Web port", "网页端口") }
func (t T) PortHint() string {
	return t.pick("Of a web server in it, such as 8888 for Jupyter or 6006 for TensorBoard. Empty: none.", "实例中网页服务的端口，例如 Jupyter 的 8888 或 TensorBoard 的 6006。留空则无。")
}
func (t T) PortOpen(port int) string {
	return t.pick("Open port "+strconv.Itoa(port), "打开端口 "+strconv.Itoa(port))
}
func (t T) PortButton() string { return t.pick("Use this port", "使用该端口") }
func (t T) PortNote() string {
	return t.pick("The console passes your browser on to it. Whoever may enter the instance may open it.", "控制台将你的浏览器转到该端口。可进入该实例者均可打开。")
}

// errorsOfPorts are about the port of an instance that browsers are passed on to.
var errorsOfPorts = map[string]pair{
	"wrong_port":        {"A port is a whole number from 1 to 65535.", "端口须为 1 到 65535 的整数。"},
	"port_not_set":      {"No port was chosen for this instance. Choose one on its page.", "该实例未设置网页端口。请在实例页面设置。"},
	"port_of_ended":     {"The instance has ended: nothing of it listens any more.", "该实例已结束，不再有程序监听。"},
	"port_of_suspended": {"The instance is suspended. Resume it first.", "该实例已暂停。请先恢复。"},
	"port_not_yet":      {"The instance does not run yet, or can't be reached just now. This page looks again every few seconds.", "该实例尚未运行，或暂时无法访问。本页每隔几秒自动重试。"},
	"nothing_listens":   {"Nothing in the instance listens on port {port}. Start the web server in it, or choose another port on its page. This page looks again every few seconds.", "实例中没有程序监听端口 {port}。请在其中启动网页服务，或在实例页面更改端口。本页每隔几秒自动重试。"},
	"app_cut":           {"What listens on port {port} did not answer as a web server does.", "监听端口 {port} 的程序未按网页服务的方式应答。"},
}
