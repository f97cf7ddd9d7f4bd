import { isIP, isIPv6 } from 'node:net'
import { Refusal } from '../../base/errors.ts'
import { DerError, TAG, der, dottedOf, memberAt, membersOf, oid, readDer } from '../asn1/der.ts'
import type { Der } from '../asn1/der.ts'
import { sequence } from './encoding.ts'

/** Alternative names: DNS names, mail addresses and IP addresses of a certificate. @see RFC 5280 §4.2.1.6 */
export interface AltNames {
  readonly dns: readonly string[]
  readonly email: readonly string[]
  readonly ip: readonly string[]
  /** such as those of SPIFFE, spiffe://shop.example/payment */
  readonly uri?: readonly string[]
  /** user principal names, as Windows logs in: ann@shop.example */
  readonly upn?: readonly string[]
}

export const NO_ALT_NAMES: Required<AltNames> = { dns: [], email: [], ip: [], uri: [], upn: [] }

const countOf = (names: AltNames): number => Object.values(names).flat().length

/** Ours: the most names of all kinds together. */
const NAMES_MOST = 100

/** Context tags of GeneralName. */
const KIND = { other: 0xa0, email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const
/** Kind of `otherName`. @see [MS-WCCE] §2.2.2.7.5 */
const UPN = '1.3.6.1.4.1.311.20.2.3'

const broken = (sentence: string) => new Refusal('RULE_BROKEN', sentence)

/**
 * RFC 1034 §3.5 as relaxed by RFC 1123 §2.1; the last label must not be a number, since the name would look like an
 * address
 */
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const HOST = new RegExp(`^(?:${LABEL}\\.)*(?!\\d+$)${LABEL}$`)
const HOST_CHARACTERS = 253
/**
 * RFC 6125 §6.4.3: the whole first label. Ours: followed by at least two others, so that no wildcard covers a whole
 * registry.
 */
const WILDCARD = /^\*\.(?=[^.]+\.[^.]+)/

const isHost = (name: string): boolean => name.length <= HOST_CHARACTERS && HOST.test(name)

/** Local part of RFC 5321 §4.1.2 without quotes: at most 64 characters. */
const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LOCAL_CHARACTERS = 64

function isMailbox(address: string): boolean {
  const at = address.lastIndexOf('@')
  return at > 0 && at <= LOCAL_CHARACTERS && LOCAL.test(address.slice(0, at)) && isHost(address.slice(at + 1))
}

const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%')

export const isWildcard = (name: string): boolean => WILDCARD.test(name)

/** Absolute, in ASCII. @see RFC 5280 §4.2.1.6, RFC 3986 §3 */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[!#-;=?-Z_a-z~%[\]@&]+$/
const URI_CHARACTERS = 2_048
const isUri = (text: string): boolean => text.length <= URI_CHARACTERS && URI.test(text) && URL.canParse(text)

const UPN_CHARACTERS = 256
const isPrincipal = (text: string): boolean =>
  text.length <= UPN_CHARACTERS && text.isWellFormed() && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text)

/** @throws Refusal RULE_BROKEN */
export function assertAltNames(names: AltNames): void {
  const { dns, email, ip, uri = [], upn = [] } = names
  if (countOf(names) > NAMES_MOST) throw broken(`there must be at most ${NAMES_MOST} alternative names`)
  if (!dns.every((name) => isHost(name.replace(WILDCARD, ''))))
    throw broken('a DNS name must be a host name in ASCII, such as keys.example or *.keys.example')
  if (!email.every(isMailbox)) throw broken('an e-mail address must be a mailbox in ASCII, such as keys@shop.example')
  if (!ip.every(isAddress)) throw broken('an IP address must be one of IPv4 or IPv6, without a zone or a mask')
  if (!uri.every(isUri)) throw broken('a URI must be absolute and in ASCII, such as spiffe://shop.example/payment')
  if (!upn.every(isPrincipal)) throw broken('a user principal name must be text such as ann@shop.example')
}

/** Groups of an IPv6 address in the URL parser's form: without dotted parts, `::` at most once. */
function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text = '') => (text === '' ? [] : text.split(':'))
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array.from({ length: zeros }, () => '0'), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** @throws DerError */
function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) throw new DerError('not an IP address')
  const groups = bytes.toString('hex').replaceAll(/....(?=.)/g, '$&:')
  return new URL(`http://[${groups}]`).hostname.slice(1, -1)
}

/**
 * DER of GeneralNames; undefined without names, since a certificate must not contain an empty list. @throws Refusal
 * RULE_BROKEN
 */
export function encodeAltNames(names: AltNames): Buffer | undefined {
  assertAltNames(names)
  const all = [
    ...names.dns.map((name) => der(KIND.dns, Buffer.from(name))),
    ...names.email.map((name) => der(KIND.email, Buffer.from(name))),
    ...names.ip.map((name) => der(KIND.ip, addressBytes(name))),
    ...(names.uri ?? []).map((name) => der(KIND.uri, Buffer.from(name))),
    ...(names.upn ?? []).map((name) =>
      der(KIND.other, oid(UPN), der(TAG.context0, der(TAG.utf8String, Buffer.from(name)))),
    ),
  ]
  return all.length === 0 ? undefined : sequence(...all)
}

const KINDS =
  'alternative names must be DNS names, e-mail addresses, IP addresses, URIs or user principal names (otherName)'

/** The user principal name of an `otherName`. @throws DerError, Refusal RULE_BROKEN for another kind of it */
function principalIn(other: Der): string {
  const members = membersOf(other)
  if (dottedOf(memberAt(members, 0, TAG.oid)) !== UPN) throw broken(KINDS)
  return memberAt(membersOf(memberAt(members, 1, TAG.context0)), 0, TAG.utf8String).body.toString('utf8')
}

export const hasAltNames = (names: AltNames): boolean => countOf(names) > 0

/**
 * GeneralNames of a request. Ours: other kinds of names are refused, since dropping them would go unnoticed. @throws
 * DerError, Refusal RULE_BROKEN
 */
export function readAltNames(bytes: Buffer): Required<AltNames> {
  const names: Record<keyof AltNames, string[]> = { dns: [], email: [], ip: [], uri: [], upn: [] }
  const all = membersOf(readDer(bytes, TAG.sequence))
  if (all.length > NAMES_MOST) throw broken(`there must be at most ${NAMES_MOST} alternative names`)
  for (const one of all) {
    const { tag, body } = one
    if (tag === KIND.dns) names.dns.push(body.toString('latin1'))
    else if (tag === KIND.email) names.email.push(body.toString('latin1'))
    else if (tag === KIND.ip) names.ip.push(addressText(body))
    else if (tag === KIND.uri) names.uri.push(body.toString('latin1'))
    else if (tag === KIND.other) names.upn.push(principalIn(one))
    else throw broken(KINDS)
  }
  assertAltNames(names)
  return names
}
