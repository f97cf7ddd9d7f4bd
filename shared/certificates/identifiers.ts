import { environment } from '../base/environment.ts'
import { resourceUri } from '../base/ids.ts'

export const LOCAL_CAS = '/v1/ca/local-cas'

export const uriOf = (domain: string, type: 'local-ca' | 'external-ca' | 'certificate', id: string): string =>
  resourceUri(domain, 'ca', type, id)

/** Where the list of an authority's revoked certificates is, and where the status of one is asked for. */
export function publishedAt(authorityId: string): { crlUrl: string; ocspUrl: string } {
  const at = `${environment().KEYMGR_BASE_URL}/api${LOCAL_CAS}/${authorityId}`
  return { crlUrl: `${at}/crl`, ocspUrl: `${at}/ocsp` }
}
