import { createPrivateKey, X509Certificate } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { issueCertificate, type Issued } from '../../simulators/toolkit/x509.ts'
import { FILES, writeWhole } from '../data/data-directory.ts'
import { StartRefusal } from '../command/start-refusal.ts'

/** `anchor` is the PEM of the issuer that clients must trust, when the certificate is self-made. */
export interface TlsIdentity extends Issued {
  readonly anchor?: string
}

/** Longest validity that clients accept, less one day. */
const VALID_DAYS = 397
const DAY_MS = 86_400_000
/** A certificate with fewer days left is replaced. */
const RENEW_BELOW_DAYS = 7

/** For the simulated clouds, every name directly below this suffix is this deployment. */
export const OWN_NAMES = 'keymgr.test'

/** @throws StartRefusal if the files cannot be read or do not belong together */
export function readIdentity(certificateFile: string, keyFile: string): TlsIdentity {
  let cert: string, key: string
  try {
    cert = fs.readFileSync(certificateFile, 'utf8')
    key = fs.readFileSync(keyFile, 'utf8')
  } catch (error) {
    throw new StartRefusal(
      `The TLS certificate or key cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      { cause: error },
    )
  }
  try {
    if (new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) return { cert, key }
  } catch {
    // no certificate or no key in PEM: refused below
  }
  throw new StartRefusal(`The TLS certificate ${certificateFile} and the key ${keyFile} do not belong together.`)
}

/**
 * The self-signed identity of a data directory. It is created when missing and renewed before it expires. Without a
 * directory it is only in memory.
 */
export function ownIdentity(directory: string | undefined, now: Date): TlsIdentity {
  const files =
    directory === undefined
      ? undefined
      : [FILES.certificate, FILES.certificateKey].map((name) => path.join(directory, name))
  const [certificateFile, keyFile] = files ?? []
  if (
    certificateFile !== undefined &&
    keyFile !== undefined &&
    fs.existsSync(certificateFile) &&
    fs.existsSync(keyFile)
  ) {
    try {
      const identity = readIdentity(certificateFile, keyFile)
      const certificate = new X509Certificate(identity.cert)
      const left = Date.parse(certificate.validTo) - now.getTime()
      const named = certificate.checkHost(`any.${OWN_NAMES}`) !== undefined // without these names it is replaced
      if (left > RENEW_BELOW_DAYS * DAY_MS && named) return { ...identity, anchor: identity.cert }
    } catch (error) {
      if (!(error instanceof StartRefusal)) throw error // the pair is incomplete: replaced
    }
  }
  const { cert, key } = selfSigned(now)
  if (certificateFile !== undefined && keyFile !== undefined) {
    writeWhole(keyFile, key)
    writeWhole(certificateFile, cert)
  }
  return { cert, key, anchor: cert }
}

function selfSigned(now: Date): Issued {
  return issueCertificate({
    commonName: 'keymgr local deployment',
    purpose: 'server',
    names: {
      dns: ['localhost', `*.${OWN_NAMES}`],
      ip: [Buffer.of(127, 0, 0, 1), Buffer.concat([Buffer.alloc(15), Buffer.of(1)])],
    },
    from: new Date(now.getTime() - 3_600_000), // one hour, for clients whose clocks lag
    to: new Date(now.getTime() - 3_600_000 + VALID_DAYS * DAY_MS),
  })
}
