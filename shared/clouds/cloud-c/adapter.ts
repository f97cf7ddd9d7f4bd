import type { CloudC } from './adapter/types.ts'

/** The adapter, loaded when first called: most requests call no cloud. */
export const adapter = async (): Promise<CloudC> => (await import('./adapter/verbs.ts')).cloudC
