/** A private key of the browser's own, and the request for a certificate of its public key. */
export interface KeyRequest {
  /** PKCS #8, PEM */
  readonly key: string
  /** PKCS #10, PEM */
  readonly request: string
}

/** Tags of DER. */
const [INTEGER, BIT_STRING, UTF8_STRING, SEQUENCE, SET, ATTRIBUTES] = [0x02, 0x03, 0x0c, 0x30, 0x31, 0xa0]
const EC = { name: 'ECDSA', namedCurve: 'P-256' } as const
/** Object identifiers, encoded: the attribute commonName, and the algorithm ecdsa-with-SHA256. */
const COMMON_NAME = Uint8Array.of(0x06, 3, 0x55, 4, 3)
const ECDSA_WITH_SHA256 = Uint8Array.of(0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2)

const joined = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** A length in its shortest form. */
function lengthOf(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length)
  return length < 0x100 ? Uint8Array.of(0x81, length) : Uint8Array.of(0x82, length >> 8, length & 0xff)
}

const der = (tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const content = joined(...parts)
  return joined(Uint8Array.of(tag), lengthOf(content.length), content)
}

/** A positive integer: without leading zeros, but with one before a set highest bit. */
function integer(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte !== 0)
  const short = bytes.subarray(first === -1 ? bytes.length - 1 : first)
  return der(INTEGER, (short[0] ?? 0) > 0x7f ? joined(Uint8Array.of(0), short) : short)
}

function pem(label: string, bytes: Uint8Array): string {
  const lines = btoa(String.fromCharCode(...bytes)).match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

const bits = (bytes: Uint8Array): Uint8Array => der(BIT_STRING, Uint8Array.of(0), bytes)

/**
 * Makes a key of the curve P-256 in the browser, and a request that is signed with it. The private key is nowhere else.
 * @param name the common name; empty: the request has no subject
 * @see RFC 2986, section 4
 */
export async function makeKeyRequest(name: string): Promise<KeyRequest> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(EC, true, ['sign', 'verify'])
  const value = der(UTF8_STRING, new TextEncoder().encode(name))
  const subject = name === '' ? der(SEQUENCE) : der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, value)))
  const info = der(
    SEQUENCE,
    integer(Uint8Array.of(0)), // version 1
    subject,
    new Uint8Array(await crypto.subtle.exportKey('spki', publicKey)),
    der(ATTRIBUTES),
  )
  const signed = new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, info))
  const half = signed.length / 2
  const signature = der(SEQUENCE, integer(signed.subarray(0, half)), integer(signed.subarray(half)))
  const request = der(SEQUENCE, info, der(SEQUENCE, ECDSA_WITH_SHA256), bits(signature))
  const key = new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey))
  return { key: pem('PRIVATE KEY', key), request: pem('CERTIFICATE REQUEST', request) }
}
