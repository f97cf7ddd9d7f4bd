/** The part of the library that runs in browsers and in Node. Client certificates are in `node.ts`. */
export type { components, operations, paths } from './api.d.ts'
export type { Answer, AnswerOf, InitOf, PathOf, UntypedInit } from './calls.ts'
export type { Method } from './method.ts'
export { createKeymgr, type Keymgr, type KeymgrOptions } from './client.ts'
export { JOBS } from './described.ts'
export {
  isJobPath,
  JobFailed,
  jobBegunBy,
  progressOf,
  statusOf,
  waitFor,
  type JobPath,
  type JobRow,
  type Progress,
} from './jobs.ts'
export { logIn, LogInEnded, type LogIn, type LogInOptions } from './log-in.ts'
export type { Entries, EntryOf, ListPath, Page } from './pages.ts'
export { isProblem, isUnreachable, ProblemError, UnreachableError, type ProblemKind } from './problem.ts'
export { RETRIES, type Retries } from './retries.ts'
export { WaitedTooLong, type Waiting } from './until.ts'
export {
  byAuthorizationCode,
  byClientCertificate,
  byDevice,
  byPassword,
  byRefreshToken,
  bySession,
  byUserCertificate,
  type DevicePrompt,
  type Way,
} from './ways.ts'
