import { extensionPoint } from '../../base/extension-point.ts'

/** Records that keep their domain from being deleted. */
export interface DomainContents {
  /** singular, and what mends it: `key`, `deleted` */
  readonly noun: string
  readonly done: string
  readonly countIn: (domain: string) => Promise<number>
}

export const domainContents = extensionPoint<DomainContents>('Contents of domains')
