import type { CloudB } from './adapter/types.ts'

/** The adapter, loaded when first called: most requests call no cloud. */
export const adapter = async (): Promise<CloudB> => (await import('./adapter/verbs.ts')).cloudB
