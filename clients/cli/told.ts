import { isProblem, isUnreachable, type BrokenField, type ProblemError, type ProblemKind } from '../sdk/problem.ts'
import type { CommandRow } from './command.ts'
import { Failure, type FailureKind } from './failures.ts'
import { printable } from './output/printable.ts'

const KINDS: Readonly<Record<ProblemKind, FailureKind>> = {
  invalid: 'invalid',
  unauthenticated: 'unauthenticated',
  denied: 'denied',
  'not-found': 'not-found',
  unsupported: 'invalid',
  conflict: 'conflict',
  stale: 'conflict',
  'too-large': 'invalid',
  throttled: 'unavailable',
  fault: 'fault',
  'cloud-refused': 'cloud',
  unavailable: 'unavailable',
  'too-slow': 'cloud',
}

/** The option of a pointer into the body; without one, the pointer's field. */
function optionAt(pointer: string, command: CommandRow | undefined): string {
  const names = pointer
    .replace(/^#?\/?/, '')
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  const leads = (path: readonly string[]): boolean => path.every((name, at) => name === names[at])
  const row = command?.options.find((each) => each.in === 'body' && leads(each.path))
  if (row === undefined) return names.join('.')
  const rest = names.slice(row.path.length)
  return `--${row.option}${rest.length === 0 ? '' : ` (${rest.join('.')})`}`
}

/** Header fields of this service, for which every command has an option. */
const OWN_HEADER = 'X-Keymgr-'

function placeOf({ pointer, parameter }: BrokenField, command: CommandRow | undefined): string {
  if (pointer !== undefined) return optionAt(pointer, command)
  if (parameter === undefined) return ''
  if (parameter.startsWith(OWN_HEADER)) return `--${parameter.slice(OWN_HEADER.length).toLowerCase()}`
  const row = command?.options.find((each) => each.in === 'query' && each.path[0] === parameter)
  return row === undefined ? parameter : `--${row.option}`
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Details that continue a sentence after the name of the field, or name it themselves. */
const GOES_ON = /^(?:must|is|are|needs?|takes?|goes|has|have|does|names|may|cannot|was)\b/

function fieldSentence(error: BrokenField, command: CommandRow | undefined): string {
  const place = placeOf(error, command)
  return sentence(place === '' ? error.detail : `${place}${GOES_ON.test(error.detail) ? '' : ':'} ${error.detail}`)
}

/** Whether a detail only repeats its fields, in the words of the API. */
const saysFieldsOnly = ({ kind, detail, errors }: ProblemError): boolean =>
  kind === 'invalid' && errors.length > 0 && errors.every((each) => detail.includes(each.detail))

const LOG_IN = 'keymgr login logs in.'

/** Calls of the platform API accept only platform tokens. */
const PLATFORM_TOKEN =
  'Set KEYMGR_TOKEN to the access_token of keymgr platform token generate; a log-in is not accepted here.'

const howToLogIn = (command: CommandRow | undefined): string =>
  command?.path.startsWith('/platform/') ? PLATFORM_TOKEN : LOG_IN

function ofProblem(error: ProblemError, command: CommandRow | undefined): Failure {
  const fields = error.errors.map((each) => fieldSentence(each, command))
  const kind = KINDS[error.kind]
  const more = [
    ...fields,
    ...(kind === 'unauthenticated' ? [howToLogIn(command)] : []),
    ...(error.traceId === undefined ? [] : [`Trace id: ${error.traceId}.`]),
  ]
  const first = saysFieldsOnly(error) ? 'The service finds the request invalid.' : sentence(error.detail)
  return new Failure(kind, first, more, { cause: error })
}

/** Node's error codes for a certificate whose authority is unknown or absent. */
const UNTRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/

function ofUnreachable(error: Error): Failure {
  const { code } = ((error.cause as Error | undefined)?.cause ?? {}) as { code?: string }
  const more = UNTRUSTED.test(code ?? '')
    ? ['If the certificate is the one that you expect, --ca file (PEM) names its authority, or KEYMGR_CA.']
    : []
  return new Failure('unavailable', `${error.message}${code === undefined ? '' : ` (${code})`}.`, more, {
    cause: error,
  })
}

/** Turns any error into a failure for the user. An unknown error is an internal fault with its own message. */
export function failureOf(error: unknown, command?: CommandRow): Failure {
  if (error instanceof Failure) return error
  if (isProblem(error)) return ofProblem(error, command)
  if (isUnreachable(error)) return ofUnreachable(error)
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && 'syscall' in error)
    return new Failure('local', sentence(error.message), [], { cause: error })
  return new Failure('fault', `keymgr has a fault: ${error instanceof Error ? error.message : String(error)}.`)
}

/** The text of a failure on the standard error. */
export const told = ({ message, more }: Failure): string =>
  [message, ...more].map((line) => `${printable(line)}\n`).join('')
