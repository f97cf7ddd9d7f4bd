import type { Problem } from './api.ts'
import { element } from './element.ts'

const POINTER = '#/new_password'
const [WHY, FAULT] = ['new-password-why', 'new-password-fault'] as const

const passwordField = (name: string): HTMLInputElement =>
  element('input', { name, type: 'password', autocomplete: 'new-password', required: true })

/**
 * The part of the log-in form that asks for a new password. Until then it is empty, so that nothing hidden is required.
 */
export class NewPassword {
  readonly part = element('div', { className: 'new-password' })
  readonly #field = passwordField('new_password')
  readonly #again = passwordField('new_password_again')
  readonly #fault = element('p', { className: 'fault', id: FAULT })

  constructor() {
    this.#field.setAttribute('aria-describedby', `${WHY} ${FAULT}`)
    for (const each of [this.#field, this.#again]) each.addEventListener('input', () => this.#compare())
  }

  get isAsked(): boolean {
    return this.part.hasChildNodes()
  }

  get value(): string {
    return this.#field.value
  }

  ask(): void {
    this.part.replaceChildren(
      element('p', { id: WHY }, 'Your password must be changed before you can log in.'),
      element('label', {}, 'New password', this.#field),
      this.#fault,
      element('label', {}, 'New password again', this.#again),
    )
    this.#field.focus()
  }

  withdraw(): void {
    this.#empty()
    this.hush()
    this.part.replaceChildren()
  }

  /** Removes the error message. */
  hush(): void {
    this.#fault.textContent = ''
    this.#field.removeAttribute('aria-invalid')
  }

  /** Shows a problem at its field. @returns whether it belongs to the field */
  tells({ detail, errors = [] }: Problem): boolean {
    if (!errors.some(({ pointer }) => pointer === POINTER)) return false
    this.#empty()
    this.#fault.textContent = detail
    this.#field.setAttribute('aria-invalid', 'true')
    this.#field.focus()
    return true
  }

  #empty(): void {
    for (const each of [this.#field, this.#again]) each.value = ''
    this.#compare()
  }

  #compare(): void {
    const isSame = this.#field.value === this.#again.value
    this.#again.setCustomValidity(isSame ? '' : 'This is not the same as the new password above.')
  }
}
