// The console's beginning: the reader's words and theme, then the application.

import { I18nProvider } from "react-aria-components/I18nProvider";
import { createRoot } from "react-dom/client";
import { chooseLanguage } from "../shared/language";
import { App } from "./app";
import { ToastProvider } from "./components/toasts";
import { ShortcutProvider } from "./keys/shortcuts";
import { applyTheme } from "./preferences";
import { Format, FormatProvider, LANGUAGES, TextsProvider, textDirection, textsIn } from "./texts";

async function main(): Promise<void> {
  applyTheme();
  const { texts, language } = await textsIn(chooseLanguage(navigator.languages, LANGUAGES));
  document.documentElement.lang = language;
  document.documentElement.dir = textDirection(language);
  const root = document.getElementById("root");
  if (!root) {
    throw new Error("the document has no place for the console");
  }
  createRoot(root).render(
    <I18nProvider locale={language}>
      <TextsProvider value={texts}>
        <FormatProvider value={new Format(language, navigator.languages)}>
          <ShortcutProvider>
            <ToastProvider>
              <App />
            </ToastProvider>
          </ShortcutProvider>
        </FormatProvider>
      </TextsProvider>
    </I18nProvider>,
  );
}

void main();
