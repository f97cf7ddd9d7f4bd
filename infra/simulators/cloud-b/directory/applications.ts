import { hash, X509Certificate } from 'node:crypto'
import type { Application } from './directory.ts'
import type { CloudState } from '../state/state.ts'
import { selfSigned } from '../certificates/x509.ts'

const YEAR_MS = 365 * 86_400_000

/** The registered certificate of an application, created once. */
export async function certificateOf(state: CloudState, { clientId, name }: Application): Promise<Buffer> {
  const key = await state.ownKey(`application ${clientId}`)
  const content = { subject: `CN=${name}`, dnsNames: [], emails: [], keyUsage: ['digitalSignature'], ekus: [] }
  return state.ownBytes(`certificate ${clientId}`, () =>
    selfSigned(content, key, state.now() - YEAR_MS, state.now() + 10 * YEAR_MS),
  )
}

/** Every certificate with which the application may sign. */
export async function certificatesOf(state: CloudState, application: Application): Promise<readonly Buffer[]> {
  const { hasCertificate, certificates = [] } = application
  const registered = certificates.map((base64) => Buffer.from(base64, 'base64'))
  return hasCertificate ? [await certificateOf(state, application), ...registered] : registered
}

/**
 * Registers a certificate for an application. @param pem @throws Error for an unknown application or a malformed
 * certificate
 */
export function register(state: CloudState, clientId: string, pem: string): void {
  const application = state.thing('application', clientId)
  if (application === undefined) throw new Error(`There is no application ${clientId}.`)
  const added = new X509Certificate(pem).raw.toString('base64')
  state.put('application', { ...application, certificates: [...(application.certificates ?? []), added] })
}

/** Whether the header of an assertion names the certificate, by either thumbprint. */
export function isNamed(cer: Buffer, { x5t, 'x5t#S256': s256 }: Readonly<Record<string, unknown>>): boolean {
  if (s256 !== undefined) return s256 === hash('sha256', cer, 'base64url')
  return x5t === hash('sha1', cer, 'base64url')
}

export const isExpired = (cer: Buffer, now: number): boolean => Date.parse(new X509Certificate(cer).validTo) <= now

export const publicKeyIn = (cer: Buffer) => new X509Certificate(cer).publicKey

export const privateKeyPem = async (state: CloudState, { clientId }: Application): Promise<string> =>
  (await state.ownKey(`application ${clientId}`)).export({ format: 'pem', type: 'pkcs8' }).toString()
