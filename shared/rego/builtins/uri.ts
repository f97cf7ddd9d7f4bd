import { parseAddress } from './cidr.ts'
import { quoted } from './go-quote.ts'

/** Parts of a URI or reference; absent ones are empty. */
export interface Uri {
  readonly scheme: string
  readonly hostname: string
  readonly port: string
  /** with escapes resolved */
  readonly path: string
  /** the path as written, if escaping `path` results in another text; else `path` */
  readonly raw_path: string
  readonly raw_query: string
  /** with escapes resolved */
  readonly fragment: string
}

/** Text that is not a URI; the message quotes it. */
export class UriError extends Error {
  override readonly name = 'UriError'
}

/** A fault; the whole text is put before its message. */
class Fault extends Error {}

/**
 * Parses a URI or a reference like Go's net/url.
 * @throws UriError
 */
export function parseUri(text: string): Uri {
  const hash = text.indexOf('#')
  const main = hash < 0 ? text : text.slice(0, hash)
  return explaining(main, () => ({
    ...parseMain(main),
    fragment: hash < 0 ? '' : explaining(text, () => unescape(text.slice(hash + 1))),
  }))
}

function explaining<T>(text: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Fault) throw new UriError(`parse ${quoted(text)}: ${error.message}`)
    throw error
  }
}

function parseMain(text: string): Omit<Uri, 'fragment'> {
  if (/[\x00-\x1f\x7f]/.test(text)) throw new Fault('net/url: invalid control character in URL')
  if (text.startsWith(':')) throw new Fault('missing protocol scheme')
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? ''
  const afterScheme = scheme === '' ? text : text.slice(scheme.length + 1)
  const question = afterScheme.indexOf('?')
  const rest = question < 0 ? afterScheme : afterScheme.slice(0, question)
  const found = {
    scheme: scheme.toLowerCase(),
    hostname: '',
    port: '',
    path: '',
    raw_path: '',
    raw_query: question < 0 ? '' : afterScheme.slice(question + 1),
  }
  if (!rest.startsWith('/')) {
    if (scheme !== '') return found // only an opaque part
    if ((rest.split('/', 1)[0] ?? '').includes(':')) throw new Fault('first path segment in URL cannot contain colon')
  }
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) return { ...found, ...paths(rest) }
  const slash = rest.indexOf('/', 2)
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash)
  return { ...found, ...parseAuthority(authority), ...paths(slash < 0 ? '' : rest.slice(slash)) }
}

function paths(written: string): Pick<Uri, 'path' | 'raw_path'> {
  const path = unescape(written)
  return { path, raw_path: escapePath(path) === written ? path : written }
}

/** The escaped path: `?` and all characters except letters, digits and punctuation allowed in paths are escaped. */
const escapePath = (path: string): string =>
  encodeURIComponent(path.toWellFormed())
    .replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(24|26|2B|2C|2F|3A|3B|3D|40)/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

function unescape(text: string): string {
  const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/su.exec(text)
  if (wrong !== null) throw new Fault(`invalid URL escape ${quoted(wrong[0])}`)
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  )
}

function parseAuthority(authority: string): Pick<Uri, 'hostname' | 'port'> {
  const at = authority.lastIndexOf('@')
  const host = parseHost(authority.slice(at + 1))
  const user = authority.slice(0, Math.max(at, 0))
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new Fault('net/url: invalid userinfo')
  unescape(user)
  const colon = host.lastIndexOf(':')
  const hasPort = colon >= 0 && PORT.test(host.slice(colon))
  const name = hasPort ? host.slice(0, colon) : host
  return {
    hostname: name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name,
    port: hasPort ? host.slice(colon + 1) : '',
  }
}

/** A colon and optional digits. */
const PORT = /^(?::\d*)?$/

function parseHost(host: string): string {
  if (host.includes('[')) return parseLiteral(host)
  const colon = host.lastIndexOf(':')
  checkPort(colon < 0 ? '' : host.slice(colon))
  return unescapeHost(host)
}

function checkPort(port: string): void {
  if (!PORT.test(port)) throw new Fault(`invalid port ${quoted(port)} after host`)
}

/** `[address]:port`: the brackets contain an IPv6 address, possibly with a zone (RFC 3986, section 3.2.2; RFC 6874). */
function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']')
  if (close < 0) throw new Fault("missing ']' in host")
  checkPort(host.slice(close + 1))
  if (!host.startsWith('[') || host.lastIndexOf('[') > 0) throw new Fault('invalid IP-literal')
  const inside = host.slice(1, close)
  const zone = inside.indexOf('%25')
  const address = unescapeHost(zone < 0 ? inside : inside.slice(0, zone))
  if (!address.includes(':') || parseAddress(address) === undefined)
    throw new Fault(`invalid host: ParseAddr(${quoted(address)}): unable to parse IP`)
  return `[${address}${zone < 0 ? '' : unescape(inside.slice(zone))}]${host.slice(close + 1)}`
}

/** A host may escape only non-ASCII characters, and the percent sign itself (RFC 3986, section 3.2.2; RFC 6874). */
function unescapeHost(host: string): string {
  const wrong = /%(?:(?![0-9a-fA-F]{2}).{0,2}|(?!25)[0-7][0-9a-fA-F])/su.exec(host)
  if (wrong !== null) throw new Fault(`invalid URL escape ${quoted(wrong[0])}`)
  const strange = /[^\w\-.~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host)
  if (strange !== null) throw new Fault(`invalid character ${quoted(strange[0])} in host name`)
  return unescape(host)
}
