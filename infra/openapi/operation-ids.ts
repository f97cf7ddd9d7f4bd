import { isOffered } from '../../shared/cloud/cloud-row.ts'
import { CLOUDS } from '../../shared/clouds/all.ts'
import type { RouteRow } from '../routes.ts'
import { camel } from './words.ts'

const CLOUD_NAMES = CLOUDS.filter(isOffered).map(({ name }) => name)

/** In ids of operations below these paths, `more` replaces `word`: local keys differ from keys of clouds. */
const SAID_MORE: readonly (readonly [below: string, word: RegExp, more: string])[] = [
  ['/v1/vault/', /\bKey(?=s?\b)/, 'Local Key'],
  ['/v1/connectionmgmt/services/log-forwarders/syslog/', /\bConnection/, 'Syslog Connection'],
  ['/v1/connectionmgmt/services/{svc}/', /\bConnection(s?)(?: of Service)?$/, 'Connection$1 of Service'],
]

/** The cloud of a path, unless the summary names it. */
const cloudIn = (path: string, summary: string): string | undefined =>
  CLOUD_NAMES.find((name) => path.split('/').includes(name) && !summary.toLowerCase().includes(name))

/** Words of an operation, made unique among operations with the same summary: `Create Local Key`. */
export function wordsOfOperation({ path, operation: { declaration } }: RouteRow): string {
  const { summary } = declaration
  const more = SAID_MORE.find(([below]) => path.startsWith(below))
  const said = more === undefined ? summary : summary.replace(more[1], more[2])
  const cloud = cloudIn(path, summary)
  return cloud === undefined ? said : said.replace(/^\w+(?: Unsaved)?/, (verb) => `${verb} ${cloud}`)
}

/** The id of an operation, the name of its method in a generated client: `createLocalKey`. */
export const operationIdOf = (route: RouteRow): string => route.id ?? camel(wordsOfOperation(route))
