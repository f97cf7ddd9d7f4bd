import { counted } from '../../../base/counted.ts'
import { auditRecord, OWN_WORK } from '../../../http/audit/record.ts'
import { auditRecords } from '../../../http/audit/store.ts'
import type { Changes } from '../../../store/changes.ts'

/** Maximum number of positions in an audit record. */
const POSITIONS_NAMED = 100

/** Findings of a run, by kind, with their positions. */
export class Findings {
  readonly #positions = new Map<string, number[]>()

  /** @param what a sentence without its end, the same for all findings of a kind */
  add(what: string, ...positions: readonly number[]): void {
    const known = this.#positions.get(what) ?? []
    known.push(...positions)
    this.#positions.set(what, known)
  }

  get empty(): boolean {
    return this.#positions.size === 0
  }

  /** Stages the audit record of the findings, which raises alarms. */
  record(changes: Changes, domain: string, now: Date): void {
    if (this.empty) return
    const positions = [...new Set([...this.#positions.values()].flat())].sort((a, b) => a - b)
    const sentences = [...this.#positions].map(([what, at]) => `${what} (${counted(at.length, 'position')}).`)
    const record = auditRecord(domain, now, {
      severity: 'critical',
      service: 'audit',
      message: 'Check Audit Tree',
      success: false,
      errorMessage: sentences.join(' '),
      details: { action: 'check-audit-tree', positions: positions.slice(0, POSITIONS_NAMED) },
      ...OWN_WORK,
    })
    changes.create(auditRecords, domain, record)
  }
}
