/** Programs that the installer runs on the robot: MicroPython 1.25 or newer, UIFlow2's modules only where named. Each prints one line of JSON. */

import { base64Of } from './bytes.js';

/** Marks the result among lines that other parts of the firmware print. */
export const resultMark = 'perch-result ';

/** The program that was interrupted may have started the chip's watchdog, which nothing stops and nothing but this feeds now. */
const holdWatchdog = 'w = sys.modules.get("perch.watchdog")\nif w:\n    w.hold()';

/** @param args is `a` in the code */
export function programOf(code: string, args: object): string {
  const json = base64Of(new TextEncoder().encode(JSON.stringify(args)));
  return `import json, os, sys\nfrom binascii import a2b_base64\n${holdWatchdog}\na = json.loads(a2b_base64(b"${json}"))\nr = None\n${code}\nprint("${resultMark}" + json.dumps(r))\n`;
}

/** `board`: null without the modules of UIFlow2, 'other' for a device that is not named here. */
export const identify = `
i = sys.implementation
r = {"name": i.name, "version": list(i.version)[:3], "machine": getattr(i, "_machine", ""), "board": None, "uiflow": ""}
try:
    import M5
    b = M5.getBoard()
    if not b:
        M5.begin()
        b = M5.getBoard()
    r["board"] = "other"
    for n in a["boards"]:
        if b and getattr(M5.BOARD, n, None) == b:
            r["board"] = n
    import esp32
    r["uiflow"] = esp32.firmware_info()[3]
except (ImportError, AttributeError):
    pass`;

/** SHA-256 of files, null for those that are absent. */
export const hashes = `
import gc, hashlib
from binascii import hexlify
r = {}
for p in a["paths"]:
    h = hashlib.sha256()
    try:
        with open(p, "rb") as f:
            while True:
                b = f.read(1024)
                if not b:
                    break
                h.update(b)
        r[p] = hexlify(h.digest()).decode()
    except OSError:
        r[p] = None
gc.collect()`;

export const freeBytes = `
try:
    s = os.statvfs(a["root"])
    r = s[0] * s[3]
except (OSError, AttributeError):
    r = None`;

export const beginFile = `
d = ""
for n in a["path"].split("/")[1:-1]:
    d += "/" + n
    try:
        os.mkdir(d)
    except OSError:
        pass
f = open(a["path"], "wb")`;

/** `f` is the file that `beginFile` has opened. */
export const appendToFile = `
r = f.write(a2b_base64(a["data"].encode()))`;

export const endFile = `
f.close()
if hasattr(os, "sync"):
    os.sync()`;

/** FAT does not replace files. */
const replaceFile = `
def replace(new, p):
    try:
        os.rename(new, p)
    except OSError:
        os.remove(p)
        os.rename(new, p)`;

/** Renames what has arrived, in the order given. Files of the owner and of the firmware are kept under other names, not those that have Perch's mark. */
export const putInPlace = `${replaceFile}
def there(p):
    try:
        os.stat(p)
        return True
    except OSError:
        return False
for k in a["keep"]:
    p = k["path"]
    if there(p + a["part"]) and there(p) and not there(k["as"]):
        with open(p, "rb") as f:
            t = f.read(200)
        if k["mark"].encode() not in t:
            os.rename(p, k["as"])
for p in a["paths"]:
    if there(p + a["part"]):
        replace(p + a["part"], p)
if hasattr(os, "sync"):
    os.sync()`;

/** Keeps other settings; another service means another token. What has been installed is started, not an update that came before it. */
export const writeSettings = `${replaceFile}
p = a["path"]
try:
    with open(p) as f:
        v = json.load(f)
except (OSError, ValueError):
    v = {}
if v.get("url") != a["settings"]["url"]:
    v.pop("token", None)
    v.pop("ca", None)
    v.pop("unencrypted", None)
v.update(a["settings"])
with open(p + ".new", "w") as f:
    json.dump(v, f)
replace(p + ".new", p)
try:
    os.remove(a["boot"])
except OSError:
    pass`;

/**
 * Tells whether a zero of both servos is known: UIFlow2's own Head Calibration appears at its start until its namespace `servo` has both, from 0 to 1000
 * (m5stack/uiflow-micropython, modules/startup/stackchan/__init__.py), and the robot program stores its own in its settings.
 */
export const headCalibrated = `
try:
    with open(a["settings"]) as f:
        v = json.load(f)
except (OSError, ValueError):
    v = {}
r = v.get("yaw_zero") is not None and v.get("pitch_zero") is not None
if not r:
    try:
        import esp32
        n = esp32.NVS("servo")
        r = all(0 <= n.get_i32(k) <= 1000 for k in ("zero_pos_1", "zero_pos_2"))
    except OSError:
        pass`;

/** Reads what nobody can get back once it is erased: the zeros that UIFlow2 has measured, and the servers that the firmware asks. */
export const firmwareState = `
import esp32
from binascii import hexlify
import machine
r = {"id": hexlify(machine.unique_id()).decode(), "servo": {}, "uiflow": {}}
n = esp32.NVS("servo")
for k in ("zero_pos_1", "zero_pos_2"):
    try:
        r["servo"][k] = n.get_i32(k)
    except OSError:
        pass
n = esp32.NVS("uiflow")
for k in ("server", "sntp0"):
    try:
        r["uiflow"][k] = n.get_str(k)
    except OSError:
        pass`;

/**
 * UIFlow2 starts main.py by itself with boot_option 0, which must be of 8 bits. Once it has Wi-Fi, it sets its clock by a time server, and takes programs and
 * files from its maker's server over MQTT without TLS, whatever program runs (m5stack/uiflow-micropython, components/m5things/m5things.c, 227ebd34). At this
 * address there is neither; without an answer of the time server it does not ask the other one, and leaves the clock alone.
 */
export const configureFirmware = `
import esp32
if a["servo"]:
    n = esp32.NVS("servo")
    for k in a["servo"]:
        n.set_i32(k, a["servo"][k])
    n.commit()
n = esp32.NVS("uiflow")
for k in ("server", "sntp0"):
    n.set_str(k, "127.0.0.1")
w = a["wifi"]
if w:
    n.set_str("net_mode", "WIFI")
    n.set_str("ssid0", w["ssid"])
    n.set_str("pswd0", w["password"])
n.set_u8("boot_option", 0)
n.commit()`;

/** Without `wifi`, the network that was entered in M5Burner. The status is that of network.WLAN, 1010 once there is an address. */
export const joinWifi = `
import network, time
w = a["wifi"]
if not w:
    import esp32
    n = esp32.NVS("uiflow")
    w = {"ssid": "", "password": ""}
    try:
        w = {"ssid": n.get_str("ssid0"), "password": n.get_str("pswd0")}
    except OSError:
        pass
r = {"ssid": w["ssid"], "status": None, "address": None}
if w["ssid"]:
    s = network.WLAN(network.STA_IF)
    s.active(True)
    if not (s.isconnected() and s.config("ssid") == w["ssid"] and not a["wifi"]):
        try:
            s.disconnect()
        except OSError:
            pass
        s.connect(w["ssid"], w["password"])
    t = time.ticks_ms()
    fresh = False
    while time.ticks_diff(time.ticks_ms(), t) < a["timeout_ms"]:
        r["status"] = s.status()
        if s.isconnected():
            r["address"] = s.ifconfig()[0]
            break
        if r["status"] not in a["final"]:
            fresh = True
        # One that has stood since the beginning may be the reason of an attempt before.
        elif fresh or time.ticks_diff(time.ticks_ms(), t) > a["final_after_ms"]:
            break
        time.sleep_ms(200)`;

/** `r` is null if the address accepts connections. */
export const reachService = `
import socket
s = i = None
try:
    i = socket.getaddrinfo(a["host"], a["port"], 0, socket.SOCK_STREAM)[0]
    s = socket.socket(i[0], i[1], i[2])
    s.settimeout(a["timeout_s"])
    s.connect(i[-1])
except OSError as e:
    if i or not a["host"].endswith(".local"):
        r = str(e)
finally:
    if s:
        s.close()`;

export const restart = 'import machine\nmachine.reset()';
