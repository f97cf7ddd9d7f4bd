import { CLOUDS, PLACES } from '../../clouds.ts'
import { PROTOCOLS } from '../../endpoints.ts'
import { HOME } from '../../home.ts'

type Page = (id: string, cloud: string) => string

const at =
  (folder: string): Page =>
  (id) =>
    `${folder}/${id}`

/** Pages of resources, by the service and kind in their URIs. */
const PAGES: Readonly<Record<string, Page>> = {
  ...Object.fromEntries(
    PLACES.map(({ name, keys: { uri, idOf = (id) => id } }): [string, Page] => [
      uri,
      (id) => `keys/${name}/${idOf(id)}`,
    ]),
  ),
  ...Object.fromEntries(CLOUDS.map(({ name, containers }) => [containers.uri, at(`containers/${name}`)])),
  ...Object.fromEntries(PROTOCOLS.map(({ name, uri }) => [uri, at(`endpoints/${name}`)])),
  'keymgr:synchronization-job': (id, cloud) => `containers/${cloud}/synchronizations/${id}`,
  'keymgr:job-config': at('jobs'),
  'keymgr:job': at('jobs/runs'),
  'keymgr:report': (id, cloud) => `reports/${cloud}/${id}`,
  'usermgmt:users': at('users'),
}

/**
 * The page of a resource; `undefined` if the console has none. @param uri `keymgr:<domain>:<service>:<kind>:<id>`
 * @param action the recorded call, which names the cloud if the URI does not
 */
export function pageOf(uri: string, action: string): string | undefined {
  const [, , service = '', kind = '', ...rest] = uri.split(':')
  const cloud = CLOUDS.find(({ name }) => action.includes(`/${name}/`))
  const page = PAGES[`${service}:${kind}`]
  if (page === undefined || (page.length > 1 && cloud === undefined)) return undefined
  return HOME + page(encodeURIComponent(rest.join(':')), cloud?.name ?? '')
}
