import { HOME } from '../../home.ts'

type Page = (id: string, cloud: string) => string

const at =
  (folder: string): Page =>
  (id) =>
    `${folder}/${id}`

/** Pages of resources, by service and kind as their URIs have them. */
const PAGES: Readonly<Record<string, Page>> = {
  'vault:keys': (id) => `keys/local/${id.replace(/-v\d+$/, '')}`,
  'keymgr:cloud-a-key': at('keys/cloud-a'),
  'keymgr:cloud-b-key': at('keys/cloud-b'),
  'keymgr:cloud-c-key': at('keys/cloud-c'),
  'keymgr:cloud-a-kms': at('containers/cloud-a'),
  'keymgr:cloud-b-vault': at('containers/cloud-b'),
  'keymgr:cloud-c-key-ring': at('containers/cloud-c'),
  'keymgr:synchronization-job': (id, cloud) => `containers/${cloud}/synchronizations/${id}`,
  'keymgr:cloud-a-custom-key-store': at('endpoints/xks'),
  'keymgr:ekm-endpoint': at('endpoints/ekm'),
  'keymgr:kacls-endpoint': at('endpoints/kacls'),
  'keymgr:dke-endpoint': at('endpoints/dke'),
  'keymgr:job-config': at('jobs'),
  'keymgr:job': at('jobs/runs'),
  'keymgr:report': (id, cloud) => `reports/${cloud}/${id}`,
  'usermgmt:users': at('users'),
}

const CLOUD = /\/(cloud-[a-z])\//

/**
 * The page of a resource; `undefined` where the console has none. @param uri `keymgr:<domain>:<service>:<kind>:<id>`
 * @param action the call that was made, which names the cloud where the URI does not
 */
export function pageOf(uri: string, action: string): string | undefined {
  const [, , service = '', kind = '', ...rest] = uri.split(':')
  const cloud = CLOUD.exec(action)?.[1]
  const page = PAGES[`${service}:${kind}`]
  if (page === undefined || (page.length > 1 && cloud === undefined)) return undefined
  return HOME + page(encodeURIComponent(rest.join(':')), cloud ?? '')
}
