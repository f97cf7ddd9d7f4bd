import { pathNotFound, stack } from '../../http/stack.ts'

/** Refuses every call. */
export const handler = stack(() => Promise.reject(pathNotFound()))
