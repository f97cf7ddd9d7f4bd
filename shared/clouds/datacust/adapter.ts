import { lazyAdapter } from '../../cloud/adapter/lazy.ts'
import { NAME } from './name.ts'

/** Groups and their keys. */
export const datacust = lazyAdapter(NAME, async () => (await import('./adapter/verbs.ts')).datacust)
/** Dynamic references to keys. */
export const datacustReferences = lazyAdapter(
  NAME,
  async () => (await import('./adapter/references.ts')).datacustReferences,
)
