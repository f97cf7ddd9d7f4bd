import { Refusal } from '../../base/errors.ts'
import { isSignedBy, readCertificate, type CertificateFacts } from './certificate.ts'

/** Ours: the most certificates of a chain, including that of the key. */
const CERTIFICATES_MOST = 6
const CHARACTERS_MOST = 64 * 1024

const END = '-----END CERTIFICATE-----'

const broken = (sentence: string) => new Refusal('RULE_BROKEN', sentence)

/**
 * A certificate and its chain towards its authority, in one PEM text: each is issued by the next. The last need not be
 * the authority's own. Validity is not checked.
 * @returns the facts of the first
 * @throws Refusal RULE_BROKEN
 */
export function readChain(pem: string): CertificateFacts {
  if (pem.length > CHARACTERS_MOST) throw broken(`certificates must have at most ${CHARACTERS_MOST} characters`)
  if (pem.includes('PRIVATE KEY-----')) throw broken('there must be no private key beside the certificates')
  const blocks = pem
    .split(END)
    .slice(0, -1)
    .map((text) => text + END)
  if (blocks.length === 0) throw broken('there must be certificates in PEM form')
  if (blocks.length > CERTIFICATES_MOST) throw broken(`there must be at most ${CERTIFICATES_MOST} certificates`)
  const [first] = blocks.map(readCertificate)
  if (first === undefined) throw broken('there must be a certificate')
  if (first.isAuthority) throw broken('the first certificate must be that of the key, not of an authority')
  blocks.slice(1).forEach((issuer, at) => {
    if (!isSignedBy(blocks[at] ?? '', issuer)) throw broken('each certificate must be issued by the one that follows')
  })
  return first
}
