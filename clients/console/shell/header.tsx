import { useQuery } from '@tanstack/preact-query'
import { useLocation } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { HOME } from '../home.ts'
import { PAGES } from '../routes.ts'
import { keymgr, session } from '../service.ts'
import { Keyboard } from './keyboard.tsx'
import { chooseTheme, chosenTheme, THEMES } from './theme.ts'

/** Name, navigation and the user's menu. */
export function Header() {
  const [isOpen, setOpen] = useState(false)
  const { path, url } = useLocation()
  useEffect(() => setOpen(false), [url])
  return (
    <header class="top">
      <a class="brand" href={HOME}>
        keymgr
      </a>
      <button
        type="button"
        class="nav-button"
        aria-expanded={isOpen}
        aria-controls="navigation"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <nav id="navigation" aria-label="Main" class={isOpen ? 'is-open' : ''}>
        <ul>
          {PAGES.flatMap(({ nav, path: at }) =>
            nav === undefined ? [] : [<NavLink key={at} title={nav} at={at} path={path} />],
          )}
        </ul>
      </nav>
      <Keyboard />
      <UserMenu />
    </header>
  )
}

function NavLink({ title, at, path }: { readonly title: string; readonly at: string; readonly path: string }) {
  const target = at.replace(/\/:.*$/, '')
  const isHere = target === HOME.slice(0, -1) ? path === target : path === target || path.startsWith(`${target}/`)
  return (
    <li>
      <a href={target === HOME.slice(0, -1) ? HOME : target} aria-current={isHere ? 'page' : undefined}>
        {title}
      </a>
    </li>
  )
}

/** A disclosure instead of a menu: its parts are ordinary links, choices and buttons. */
function UserMenu() {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => closesOutside(menu.current), [])
  const { data } = useQuery({
    queryKey: ['self'],
    queryFn: ({ signal }) => keymgr.get('/v1/auth/self/user', { signal }),
    staleTime: Infinity,
  })
  return (
    <details class="user" ref={menu}>
      <summary>{data?.username ?? 'User'}</summary>
      <div class="sheet">
        <a href={`${HOME}me`}>You</a>
        <ThemeChoice />
        <a href="/api/guide/" target="_blank" rel="noopener">
          API guide
        </a>
        <button type="button" onClick={() => void session.logOut('You are logged out.')}>
          Log out
        </button>
      </div>
    </details>
  )
}

/** Closes a disclosure on Escape, or on a click elsewhere. @returns a function that ends this */
function closesOutside(menu: HTMLDetailsElement | null): () => void {
  const close = (event: Event): void => {
    if (menu?.open !== true) return
    if (event instanceof KeyboardEvent && event.key === 'Escape') {
      menu.open = false
      menu.querySelector('summary')?.focus()
    } else if (event.type === 'click' && event.target instanceof Node && !menu.contains(event.target)) menu.open = false
  }
  document.addEventListener('keydown', close)
  document.addEventListener('click', close)
  return () => {
    document.removeEventListener('keydown', close)
    document.removeEventListener('click', close)
  }
}

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <fieldset class="theme">
      <legend>Colours</legend>
      {THEMES.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="theme"
            value={each}
            checked={theme === each}
            onChange={() => {
              chooseTheme(each)
              setTheme(each)
            }}
          />
          {each}
        </label>
      ))}
    </fieldset>
  )
}
