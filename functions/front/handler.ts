import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { pathNotFound, stack } from '../../shared/http/stack.ts'
import { withStrayCalls } from '../../shared/serving/stray-calls.ts'

/** Answers every path that no other function serves: 404 in our own form, or in that of a protocol. */
export const handler = withStrayCalls(
  PROTOCOLS,
  stack(() => Promise.reject(pathNotFound())),
)
