import { extensionPoint } from '../../base/extension-point.ts'

/** Records that keep their domain from being deleted. */
export interface DomainContents {
  /** plural, and the verb that mends it: `keys`, `delete` */
  readonly noun: string
  readonly verb: string
  readonly countIn: (domain: string) => Promise<number>
}

export const domainContents = extensionPoint<DomainContents>('Contents of domains')
