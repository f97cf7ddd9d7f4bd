/** The parts of an operation that determine the words of its command. */
export interface Named {
  readonly method: string
  readonly path: string
  readonly operationId: string
  /** tags of the API description */
  readonly tags: readonly string[]
  /** whether the path without its last segment is a call */
  readonly isBelowCall: boolean
  /** operation ids of every method of the path */
  readonly beside: Readonly<Record<string, string>>
}

/** Prefixes of paths with the words that replace them: the first matching row applies. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/usermgmt\/(connections|(?=connection-test))/, '/log-in-connections/'],
  [/^\/v1\/client-management\/clients/, '/clients'],
  [/^\/v1\/client-management\/groups/, '/groups'],
  [/^\/v1\/client-management/, '/clients'],
  [/^\/v1\/connectionmgmt\/connections/, '/connections'],
  [/^\/v1\/connectionmgmt\/services\/log-forwarders\/syslog(\/connections)?/, '/connections/syslog'],
  [/^\/v1\/connectionmgmt\/services\/([^/]+)(\/connections)?/, '/connections/$1'],
  [/^\/v1\/(usermgmt|admin|configs|keymgr)/, ''],
  [/^\/platform\/(auth\/oauth|api)\/v1/, '/platform'],
  [/^\/\.well-known/, '/auth/well-known'],
  [/^\/v1/, ''],
]

/** Segments of paths whose words differ from their spelling. */
const RENAMED: Readonly<Record<string, string>> = {
  keys2: 'keys',
  pwdpolicies: 'password-policies',
  pwdpolicy: 'password-policy',
  changepw: 'change-password',
  regtokens: 'registration-tokens',
  keks: 'keys',
  bulkjob: 'bulk-jobs',
  bulkjobs: 'bulk-jobs',
  'jwks.json': 'jwks',
  wrapprivatekey: 'wrap-private-key',
  cryptospaces: 'crypto-spaces',
  'connection-test': 'test-unsaved',
}

/** Operations whose words do not follow from their path. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  getPresentDomain: 'domains current',
  rotateLocalKey: 'vault keys rotate',
  forceDeleteConnection: 'connections force-delete',
  addClientToGroup: 'groups clients add',
  removeClientFromGroup: 'groups clients remove',
  previewJobConfig: 'scheduler job-configs preview',
  previewJobConfigChange: 'scheduler job-configs preview-change',
  previewUnsavedJobConfig: 'scheduler job-configs preview-unsaved',
  getCertificateStatusByAddress: 'ca local-cas ocsp-by-address',
  getApiDescription: 'api-description',
}

/** Verbs that follow a noun where a path has only one operation: `vault csr make`. */
const AFTER_A_NOUN = new Set(['create', 'set', 'read', 'make', 'request', 'begin', 'list', 'generate'])

export const kebab = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replace(/_/g, '-')
    .toLowerCase()

const isParameter = (segment: string): boolean => segment.startsWith('{')

const verbOf = (operationId: string): string => /^[a-z]+/.exec(operationId)?.[0] ?? operationId

/** Whether the words include the operation's verb: if the path is a collection, or has several operations. */
function saysVerb({ operationId, beside }: Named, last: string, isItem: boolean): boolean {
  const verb = verbOf(operationId)
  if (isItem || Object.keys(beside).length > 1) return true
  return AFTER_A_NOUN.has(verb) && last !== verb && !last.startsWith(`${verb}-`)
}

/** `{svc}` remains a word, which takes a value: `connections <service> list`. */
const isWord = (segment: string): boolean => !isParameter(segment) || segment === '{svc}'

/** Segments from the first one that is a tag: a family of protocols may precede it. */
function fromTag(segments: readonly string[], tags: readonly string[]): readonly string[] {
  const at = segments.findIndex((segment) => tags.includes(segment))
  return segments.slice(0, at).some(isParameter) ? segments : segments.slice(Math.max(0, at))
}

/** The words of the command of an operation, after `keymgr`: `['vault', 'keys', 'export']`. */
export function wordsOf(named: Named): string[] {
  const own = OWN_WORDS[named.operationId]
  if (own !== undefined) return own.split(' ')
  const beginning = BEGINNINGS.find(([pattern]) => pattern.test(named.path))
  const short = beginning === undefined ? named.path : named.path.replace(...beginning)
  const segments = fromTag(
    short.split('/').filter((segment) => segment !== ''),
    named.tags,
  )
  const end = segments.at(-1) ?? ''
  const words = segments
    .filter(isWord)
    .map((segment) => (segment === '{svc}' ? '<service>' : (RENAMED[segment] ?? kebab(segment))))
  const last = words.at(-1) ?? ''
  const isItem = isParameter(end) && end !== '{svc}'
  // `DELETE …/{id}` removes the record here: an operation with this last segment has another verb of its own
  if (named.method.toUpperCase() === 'POST' && last === 'delete')
    return [...words.slice(0, -1), verbOf(named.operationId)]
  if (saysVerb(named, last, isItem)) return [...words, verbOf(named.operationId)]
  if (named.isBelowCall) return [...words.slice(0, -2), words.slice(-2).join('-')]
  return last.endsWith('-jobs') ? [...words, 'start'] : words
}
