import { rmSync } from 'node:fs'
import { defined } from '../../../shared/base/fields.ts'
import { LOCAL_ACCOUNT } from '../stand-ins/account.ts'
import { OWN_NAMES } from '../gateway/certificate.ts'
import { writeWhole } from './data-directory.ts'
import type { StartedPeople } from '../people.ts'
import type { StartedSimulators } from '../simulators.ts'
import type { StartedStandIns } from '../stand-ins/stand-ins.ts'

/** Path of the API description, which the `guide` function serves. */
export const API_DESCRIPTION = '/api/v1/openapi.json'

/** The running parts of a deployment. */
export interface Running {
  readonly gateway: { readonly baseUrl: string; readonly tlsBaseUrl?: string | undefined }
  /** PEM of the certificate's issuer, when the certificate is self-made. */
  readonly anchor: string | undefined
  readonly standIns: Pick<StartedStandIns, 'endpoints'>
  readonly simulators: Pick<StartedSimulators, 'endpoints'>
  readonly people: Pick<StartedPeople, 'endpoints'>
}

/**
 * Writes `endpoints.json`. The file exists exactly as long as the deployment answers.
 * @returns a function that removes the file; safe to repeat
 */
export function writeEndpoints(file: string, running: Running): () => void {
  writeWhole(file, `${JSON.stringify(endpointsOf(running), null, 2)}\n`)
  return () => rmSync(file, { force: true })
}

/** Addresses of the service and of every other server, with credentials that they accept. */
export function endpointsOf({
  gateway,
  anchor,
  standIns,
  simulators,
  people,
}: Running): Readonly<Record<string, unknown>> {
  const { baseUrl, tlsBaseUrl } = gateway
  const { accessKeyId, secretAccessKey } = LOCAL_ACCOUNT.credentials
  return {
    base_url: `${baseUrl}/api`,
    origin: baseUrl,
    ...(tlsBaseUrl !== undefined && { tls_base_url: `${tlsBaseUrl}/api`, tls_origin: tlsBaseUrl }),
    api_description: `${baseUrl}${API_DESCRIPTION}`,
    pid: process.pid,
    // of the platform's stand-ins, which refuse all others
    credentials: { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region: LOCAL_ACCOUNT.region },
    ...standIns.endpoints,
    ...simulators.endpoints(anchor === undefined ? undefined : OWN_NAMES),
    ...people.endpoints,
    ...defined({ ca_certificate: anchor }), // PEM of the issuer that clients of the `tls_` addresses must trust
  }
}
