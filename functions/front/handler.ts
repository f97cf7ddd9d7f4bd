import { pathNotFound, stack } from '../../shared/http/stack.ts'

/** Answers every path that no other function serves: 404 in our own form. */
export const handler = stack(() => Promise.reject(pathNotFound()))
