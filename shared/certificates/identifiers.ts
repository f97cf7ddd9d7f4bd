import { environment } from '../base/environment.ts'
import { resourceUri } from '../base/ids.ts'

export const LOCAL_CAS = '/v1/ca/local-cas'

export const uriOf = (domain: string, type: 'local-ca' | 'external-ca' | 'certificate', id: string): string =>
  resourceUri(domain, 'ca', type, id)

/** Addresses of an authority's revocation list, and of its OCSP service. */
export function publishedAt(authorityId: string): { crlUrl: string; ocspUrl: string } {
  const at = `${environment().KEYMGR_BASE_URL}/api${LOCAL_CAS}/${authorityId}`
  return { crlUrl: `${at}/crl`, ocspUrl: `${at}/ocsp` }
}
