interface ChoiceProps<Option extends string> {
  label: string;
  options: Option[];
  value: Option;
  onChoose(option: Option): void;
}

/** A choice with its name. */
export function Choice<Option extends string>({ label, options, value, onChoose }: ChoiceProps<Option>) {
  return (
    <label className="choice">
      {label}
      <select value={value} onChange={(event) => onChoose(event.target.value as Option)}>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}
