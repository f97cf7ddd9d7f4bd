import { isDestructiveWord } from './arguments/suggest.ts'
import type { Group } from './command.ts'
import { commandsBelow, isSlot, nextWords } from './find.ts'

/** Words of other command lines, with the words that they mean here: the first that a command begins with. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  add: ['create', 'enable', 'add'],
  all: ['list'],
  begin: ['start'],
  change: ['update', 'set'],
  copy: ['clone'],
  create: ['add', 'make', 'register'],
  describe: ['get', 'read'],
  download: ['export', 'download-public-key'],
  duplicate: ['clone'],
  edit: ['update', 'set'],
  enable: ['enable', 'reactivate'],
  attach: ['attachments create'],
  find: ['list'],
  generate: ['create', 'make'],
  health: ['info'],
  import: ['upload-key', 'create'],
  history: ['versions list'],
  info: ['get', 'read'],
  issue: ['issue', 'create'],
  insert: ['create'],
  inspect: ['get', 'read'],
  ls: ['list'],
  make: ['create'],
  modify: ['update', 'set'],
  new: ['create'],
  patch: ['update'],
  put: ['update', 'set'],
  read: ['get'],
  renew: ['rotate', 'versions create'],
  restore: ['restore', 'recover'],
  rotate: ['rotate', 'versions create', 'rotate-key', 'rotate-credential', 'enable-rotation-job'],
  run: ['start', 'run-now'],
  search: ['list'],
  set: ['update'],
  show: ['get', 'read', 'list'],
  sync: ['synchronization-jobs start'],
  synchronize: ['synchronization-jobs start'],
  upload: ['upload-key'],
  usage: ['uses'],
  view: ['get', 'read'],
}

/** First words that users expect, with the words that a command begins with here. */
const FIRST_WORDS: Readonly<Record<string, string>> = {
  'access-log': 'audit records',
  alarm: 'system alarms',
  alarms: 'system alarms',
  authority: 'ca local-cas',
  certificate: 'ca local-cas certs',
  config: 'profiles',
  certificates: 'ca local-cas certs',
  cert: 'ca local-cas certs',
  certs: 'ca local-cas certs',
  event: 'audit records',
  events: 'audit records',
  health: 'system info',
  info: 'system info',
  job: 'scheduler job-configs',
  jobs: 'scheduler jobs',
  key: 'vault keys',
  keys: 'vault keys',
  log: 'audit records',
  logoff: 'logout',
  logs: 'audit records',
  metrics: 'system metrics',
  namespace: 'domains',
  namespaces: 'domains',
  password: 'auth change-password',
  ping: 'system info',
  record: 'audit records',
  records: 'audit records',
  role: 'groups',
  roles: 'groups',
  schedule: 'scheduler job-configs',
  schedules: 'scheduler job-configs',
  status: 'system info',
  'sign-in': 'login',
  signin: 'login',
  secret: 'vault secrets',
  secrets: 'vault secrets',
  template: 'vault templates',
  templates: 'vault templates',
  tenant: 'domains',
  tenants: 'domains',
  token: 'auth tokens',
  tokens: 'auth tokens',
  version: 'system info',
}

/** The singular of a plural, and the plural of a singular. */
const numbersOf = (word: string): string[] => [
  `${word}s`,
  word.replace(/y$/, 'ies'),
  ...(word.endsWith('s') ? [word.slice(0, -1)] : []),
]

const exists = (group: Group, words: readonly string[]): boolean =>
  commandsBelow(group, words.slice(0, -1)).length > 0 &&
  nextWords(group, words.slice(0, -1)).some((each) => each === words.at(-1))

/**
 * The words meant by a word that does not follow `known`: a synonym, or the same noun in the other number. Undefined
 * if there are none. They never end, stop or remove anything.
 */
export function synonymOf(group: Group, known: readonly string[], wrong: string): readonly string[] | undefined {
  const meant = Object.hasOwn(WORDS, wrong) ? (WORDS[wrong] ?? []) : []
  return [...meant, ...numbersOf(wrong)]
    .map((each) => each.split(' '))
    .filter((words) => !words.some(isDestructiveWord))
    .find((words) => words.every((_, at) => exists(group, [...known, ...words.slice(0, at + 1)])))
}

/** The first words meant by another word, among the words of all groups. */
export function firstWordsFor(wrong: string, groups: readonly string[]): readonly string[] | undefined {
  const own = Object.hasOwn(FIRST_WORDS, wrong) ? FIRST_WORDS[wrong] : undefined
  if (own !== undefined) return own.split(' ')
  const other = numbersOf(wrong).find((each) => groups.includes(each))
  return other === undefined ? undefined : [other]
}

/** The words of a command line that continue a suggestion: known words of the group, up to the first other one. */
export function continued(group: Group, words: readonly string[], rest: readonly string[]): readonly string[] {
  const [next, ...more] = rest
  if (next === undefined) return words
  const meant = exists(group, [...words, next]) ? [next] : synonymOf(group, words, next)
  if (meant === undefined || meant.some((word) => isSlot(word) || isDestructiveWord(word))) return words
  return continued(group, [...words, ...meant], more)
}
