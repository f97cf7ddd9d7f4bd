import type { Action, Answer, Model } from './history.ts'

/** A record with a unique name, a revision and one value, as `null` or this. */
interface Document {
  readonly id: string
  readonly rev: number
  readonly value: string
}

/** The id of a document whose create was not answered, until an answer shows it. */
const UNSEEN = '?'

export const ABSENT = 'null'
export const documentState = (document: Document): string => JSON.stringify(document)

const isSame = (document: Document, id: string): boolean => document.id === UNSEEN || document.id === id

/** Records that are created, found, read, changed and removed, some of it under `If-Match`. */
export const documents: Model = {
  next: (state, action, answer) => {
    const document = JSON.parse(state) as Document | null
    if (answer?.outcome === 'busy') return state
    const after = nextDocument(document, action, answer)
    return after === undefined ? undefined : JSON.stringify(after)
  },
}

function nextDocument(
  document: Document | null,
  action: Action,
  answer: Answer | undefined,
): Document | null | undefined {
  switch (action.verb) {
    case 'create':
      return created(document, action.value, answer)
    case 'find':
      if (answer?.outcome === 'absent') return document === null ? document : undefined
      return seen(document, answer)
    case 'read':
      if (answer?.outcome === 'absent') return missing(document, action.id)
      return document !== null && isSame(document, action.id) ? seen(document, { ...answer, id: action.id }) : undefined
    case 'change':
    case 'remove':
      return altered(document, action, answer)
    default:
      return undefined
  }
}

function created(document: Document | null, value: string, answer: Answer | undefined): Document | null | undefined {
  if (answer?.outcome === 'taken') return document === null ? undefined : document
  if (document !== null || (answer !== undefined && answer.outcome !== 'done')) return undefined
  if (answer !== undefined && (answer.rev ?? 1) !== 1) return undefined
  return { id: answer?.id ?? UNSEEN, rev: 1, value }
}

/** The document if it equals the answer; an unseen id is known afterwards. */
function seen(document: Document | null, answer: Partial<Answer> | undefined): Document | undefined {
  if (document === null || answer === undefined) return undefined
  const { id = document.id, rev = document.rev, value = document.value } = answer
  return isSame(document, id) && rev === document.rev && value === document.value ? { ...document, id } : undefined
}

const missing = (document: Document | null, id: string): Document | null | undefined =>
  document === null || document.id === UNSEEN || document.id !== id ? document : undefined

function altered(
  document: Document | null,
  action: Extract<Action, { verb: 'change' | 'remove' }>,
  answer: Answer | undefined,
): Document | null | undefined {
  if (answer?.outcome === 'absent') return missing(document, action.id)
  if (document === null || !isSame(document, action.id)) return undefined
  const fits = action.rev === undefined || action.rev === document.rev
  if (answer?.outcome === 'stale') return fits ? undefined : { ...document, id: action.id }
  if (!fits || (answer !== undefined && answer.outcome !== 'done')) return undefined
  if (action.verb === 'remove') return null
  const after = { id: action.id, rev: document.rev + 1, value: action.value }
  return answer === undefined ? after : seen(after, answer)
}

/** Versions of a key: each append makes the next number, a read shows the newest. */
export const counters: Model = {
  next: (state, { verb }, answer) => {
    if (answer?.outcome === 'busy') return state
    if (answer !== undefined && answer.outcome !== 'done') return undefined
    const after = verb === 'append' ? String(Number(state) + 1) : state
    return answer === undefined || String(answer.count) === after ? after : undefined
  },
}

const usersOf = (state: string): readonly string[] => JSON.parse(state) as string[]
const stateOf = (users: Iterable<string>): string => JSON.stringify([...new Set(users)].sort())

const shows = (state: string, { users, count }: Answer): boolean =>
  (users === undefined || stateOf(users) === state) && (count === undefined || usersOf(state).length === count)

/** A set of users: a grant may be repeated. @param strict whether withdrawing needs a grant */
export const sets = (strict: boolean): Model => ({
  next: (state, action, answer) => {
    if (answer?.outcome === 'busy') return state
    const users = usersOf(state)
    if (action.verb !== 'grant' && action.verb !== 'withdraw')
      return answer?.outcome === 'done' && shows(state, answer) ? state : undefined
    const isMember = users.includes(action.user)
    if (action.verb === 'withdraw' && strict) {
      if (answer?.outcome === 'absent') return isMember ? undefined : state
      if (!isMember) return undefined
    }
    if (answer !== undefined && answer.outcome !== 'done') return undefined
    const rest = users.filter((each) => each !== action.user)
    const after = stateOf(action.verb === 'grant' ? [...rest, action.user] : rest)
    return answer === undefined || shows(after, answer) ? after : undefined
  },
})
