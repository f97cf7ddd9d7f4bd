import { isIP, isIPv6 } from 'node:net'
import { Refusal } from '../../base/errors.ts'
import { DerError, TAG, der, membersOf, readDer } from '../der.ts'
import { sequence } from './encoding.ts'

/** Alternative names: DNS names, mail addresses and IP addresses of a certificate. @see RFC 5280 §4.2.1.6 */
export interface AltNames {
  readonly dns: readonly string[]
  readonly email: readonly string[]
  readonly ip: readonly string[]
}

export const NO_ALT_NAMES: AltNames = { dns: [], email: [], ip: [] }

/** Ours: the most names of all kinds together. */
const NAMES_MOST = 100

/** Context tags of GeneralName. */
const KIND = { email: 0x81, dns: 0x82, ip: 0x87 } as const

const broken = (sentence: string) => new Refusal('RULE_BROKEN', sentence)

/** RFC 1034 §3.5 as relaxed by RFC 1123 §2.1; the last label is no number, since the name would read as an address. */
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

/** @throws Refusal RULE_BROKEN */
export function assertAltNames({ dns, email, ip }: AltNames): void {
  const count = dns.length + email.length + ip.length
  if (count > NAMES_MOST) throw broken(`there must be at most ${NAMES_MOST} alternative names`)
  if (!dns.every((name) => isHost(name.replace(WILDCARD, ''))))
    throw broken('a DNS name must be a host name in ASCII, such as keys.example or *.keys.example')
  if (!email.every(isMailbox)) throw broken('an e-mail address must be a mailbox in ASCII, such as keys@shop.example')
  if (!ip.every(isAddress)) throw broken('an IP address must be one of IPv4 or IPv6, without a zone or a mask')
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
  ]
  return all.length === 0 ? undefined : sequence(...all)
}

/**
 * GeneralNames of a request. Ours: other kinds of names are refused, since dropping them would go unnoticed. @throws
 * DerError, Refusal RULE_BROKEN
 */
export function readAltNames(bytes: Buffer): AltNames {
  const names: { dns: string[]; email: string[]; ip: string[] } = { dns: [], email: [], ip: [] }
  const all = membersOf(readDer(bytes, TAG.sequence))
  if (all.length > NAMES_MOST) throw broken(`there must be at most ${NAMES_MOST} alternative names`)
  for (const { tag, body } of all) {
    if (tag === KIND.dns) names.dns.push(body.toString('latin1'))
    else if (tag === KIND.email) names.email.push(body.toString('latin1'))
    else if (tag === KIND.ip) names.ip.push(addressText(body))
    else throw broken('alternative names must be DNS names, e-mail addresses or IP addresses')
  }
  assertAltNames(names)
  return names
}
