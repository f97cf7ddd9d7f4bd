import { DAY_MS } from '../../../../shared/base/time.ts'
import { issueCertificate, newSerial, readCertificate } from '../../../../shared/crypto/x509/certificate.ts'
import { pairs } from './openssl.ts'

/** A day ago, in whole seconds. */
export const from = new Date(Math.floor(Date.now() / 1000) * 1000 - DAY_MS)
export const after = (days: number): Date => new Date(from.getTime() + days * DAY_MS)

type Pair = (typeof pairs)['rsa']

/** A root certificate of this pair, for ten years. */
export const rootOf = ({ privateKey, publicKey }: Pair, to = after(3650)): Promise<string> =>
  issueCertificate({
    ...{ issuer: { key: privateKey }, subject: { cn: 'Röot', names: [{ C: 'DE', O: 'Shop' }] }, publicKey },
    ...{ purpose: 'ca', serial: newSerial(), notBefore: from, notAfter: to },
  })

/** A client's certificate below a root, and its serial number. */
export async function clientOf(root: string, { privateKey }: Pair): Promise<{ pem: string; serial: string }> {
  const pem = await issueCertificate({
    ...{ issuer: { pem: root, key: privateKey }, subject: { cn: 'till' }, publicKey: pairs.p256.publicKey },
    ...{ purpose: 'client', serial: newSerial(), notBefore: from, notAfter: after(365) },
  })
  return { pem, serial: readCertificate(pem).serialNumber }
}
