import { pathNotFound, stack } from '../../shared/http/stack.ts'

/** Whatever no other function claims: 404 in our own form. */
export const handler = stack(() => Promise.reject(pathNotFound()))
