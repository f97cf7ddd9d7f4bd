import { sequencedRecords, type Sequenced } from '../audit/log/read.ts'

/** Records per page: two full rounds of reads, and each of their batches about once. */
const RECORDS_A_PAGE = 1_600

export interface RecordPage {
  readonly records: readonly Sequenced[]
  readonly next: number
}

/** Records of a domain page by page; the next page is read while the present one is processed. */
export class RecordPages {
  readonly #domain: string
  #ahead: { readonly from: number; readonly page: Promise<RecordPage> } | undefined

  constructor(domain: string) {
    this.#domain = domain
  }

  /** The page from a position on, which ends before `end`. @throws Error, a fault, when the log is shorter */
  async page(from: number, end: number): Promise<RecordPage> {
    const ahead = this.#ahead
    this.#ahead = undefined
    const page = await (ahead?.from === from ? ahead.page : this.#read(from, end))
    if (page.next === from) throw new Error(`The log of ${this.#domain} ends before ${end}`)
    if (page.next < end) {
      const following = this.#read(page.next, end)
      following.catch(() => undefined) // the reader of that page gets the error
      this.#ahead = { from: page.next, page: following }
    }
    return page
  }

  #read(from: number, end: number): Promise<RecordPage> {
    return sequencedRecords(this.#domain, from, Math.min(RECORDS_A_PAGE, end - from))
  }
}
