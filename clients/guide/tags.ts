import { element } from '../web/element.ts'
import { loadComponent, show } from './component.ts'
import { matching, operationsOf, partOf, type Description, type Operation } from './description.ts'

/** Ours: results of a filter are opened up to this number of operations; more are only counted. */
const OPENED_MOST = 40
/** After the last key: each change of the filter makes parts of the page anew. */
const TYPING_MS = 250

/** The section of a tag, which shows its operations once it is open. */
class Tag {
  readonly section: HTMLDetailsElement
  readonly #all: readonly Operation[]
  readonly #place = element('div', { className: 'operations' })
  readonly #count = element('span', { className: 'count' })
  readonly #show: (place: HTMLElement, operations: readonly Operation[]) => Promise<void>
  #wanted: readonly Operation[]
  #shown: readonly Operation[] = []

  constructor(
    name: string,
    description: string,
    operations: readonly Operation[],
    display: (place: HTMLElement, operations: readonly Operation[]) => Promise<void>,
  ) {
    this.#all = this.#wanted = operations
    this.#show = display
    const summary = element('summary', {}, element('h2', {}, name), this.#count, element('span', {}, description))
    this.section = element('details', { className: 'tag', id: `tag-${name}` }, summary, this.#place)
    this.section.addEventListener('toggle', () => void this.#update())
    this.narrow(operations, false)
  }

  /** Shows only these operations; none hides the tag. */
  narrow(operations: readonly Operation[], opens: boolean): void {
    this.#wanted = operations
    this.section.hidden = operations.length === 0
    const [some, all] = [operations.length, this.#all.length]
    this.#count.textContent = some === all ? String(all) : `${some} of ${all}`
    if (opens && some > 0) this.section.open = true
    void this.#update()
  }

  async #update(): Promise<void> {
    if (!this.section.open || this.section.hidden || this.#shown === this.#wanted) return
    const wanted = (this.#shown = this.#wanted)
    this.#place.replaceChildren(element('p', { className: 'loading' }, 'Loading…'))
    const place = element('div')
    try {
      await this.#show(place, wanted)
      if (this.#shown === wanted) this.#place.replaceChildren(place)
    } catch (error) {
      this.#shown = []
      this.#place.replaceChildren(
        element('p', { role: 'alert' }, error instanceof Error ? error.message : String(error)),
      )
    }
  }
}

/**
 * The description as a list of tags, each loaded when it is opened, with a filter that opens its results. The part of
 * the address after `#/` names the tag to open at the start.
 * @param token of the session, for calls that are tried
 */
export function tagList(description: Description, token: () => Promise<string>): HTMLElement {
  const operations = operationsOf(description)
  const byTag = Map.groupBy(operations, ({ tag }) => tag)
  const display = (place: HTMLElement, some: readonly Operation[]) => show(place, partOf(description, some), token)
  const tags = description.tags.map(
    ({ name, description: words = '' }) => [name, new Tag(name, words, byTag.get(name) ?? [], display)] as const,
  )
  const found = element('p', { className: 'found', role: 'status' })
  const filter = element('input', { type: 'search', autocomplete: 'off' })
  const narrow = (): void => {
    const words = filter.value.trim()
    const some = words === '' ? operations : matching(operations, words)
    const opens = words !== '' && some.length <= OPENED_MOST
    const wanted = Map.groupBy(some, ({ tag }) => tag)
    for (const [name, tag] of tags) tag.narrow(words === '' ? (byTag.get(name) ?? []) : (wanted.get(name) ?? []), opens)
    found.textContent = words === '' ? '' : `${some.length} of ${operations.length} operations`
  }
  let timer = 0
  filter.addEventListener('input', () => {
    window.clearTimeout(timer)
    timer = window.setTimeout(narrow, TYPING_MS)
  })
  const [, named] = /^#\/([\w-]+)/.exec(location.hash) ?? []
  const first = tags.find(([name]) => name === named)?.[1].section
  if (first !== undefined) first.open = true
  window.setTimeout(() => void loadComponent().catch(() => undefined)) // an opened tag shows the reason of a failure
  return element(
    'div',
    { id: 'guide' },
    element('label', { className: 'filter' }, 'Filter operations', filter),
    found,
    ...tags.map(([, { section }]) => section),
  )
}
